/** Makers of models with one OpenAI-dialect endpoint each. */
import { ofOpenAi, penalties, type Vendor } from "./vendor";

export const makers: Vendor[] = [
  {
    // ai.google.dev, OpenAI compatibility. Only 2.5 Flash can turn thinking off.
    id: "gemini",
    name: "Google Gemini",
    dialect: "openai",
    keyPrefix: "AIza",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai",
    // It refuses members that it does not list (page-assist#418).
    capabilities: { documents: false, refusedMembers: [...ofOpenAi, ...penalties, "logit_bias", "seed"] },
    models: [
      {
        match: /gemini-2\.5-flash/,
        capabilities: { thinking: "effort", effortLevels: ["none", "low", "medium", "high"] },
      },
      {
        // It refuses `medium` here (discuss.ai.google.dev, December 2025); no Gemini 3 takes `minimal` here.
        match: /gemini-3-pro/,
        capabilities: { thinking: "effort", effortLevels: ["low", "high"], signsToolCalls: true },
      },
      {
        match: /gemini-2\.5/,
        capabilities: { thinking: "effort", effortLevels: ["low", "medium", "high"] },
      },
      {
        match: /gemini-([3-9]|\d\d)/,
        capabilities: { thinking: "effort", effortLevels: ["low", "medium", "high"], signsToolCalls: true },
      },
    ],
  },
  {
    // ai.google.dev: the API's own dialect. Thought signatures must be sent back on the parts that they belong to.
    id: "gemini-native",
    name: "Google Gemini (native)",
    dialect: "gemini",
    priceList: "gemini",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    capabilities: {},
    models: [
      { match: /gemini-2\.5/, capabilities: { thinking: "budget" } },
      {
        match: /gemini-([3-9]|\d\d)/,
        capabilities: { thinking: "effort", effortLevels: ["low", "high"], signsToolCalls: true },
      },
    ],
  },
  {
    // docs.mistral.ai: Magistral always thinks; Small and Medium think on request. It calls the seed `random_seed`.
    id: "mistral",
    name: "Mistral",
    dialect: "openai",
    baseUrl: "https://api.mistral.ai/v1",
    capabilities: {
      outputTokenField: "max_tokens",
      documents: false,
      laterSystem: false,
      maxStops: null,
      refusedMembers: [...ofOpenAi, "logit_bias", "seed"],
    },
    models: [
      {
        match: /^mistral-(small|medium)/,
        capabilities: { thinking: "effort", effortLevels: ["none", "high"] },
      },
    ],
  },
  {
    // docs.x.ai: reasoning models refuse `stop` and penalties; which of them take an effort differs.
    id: "xai",
    name: "xAI (Grok)",
    dialect: "openai",
    keyPrefix: "xai-",
    baseUrl: "https://api.x.ai/v1",
    capabilities: {
      outputTokenField: "max_completion_tokens",
      documents: false,
      refusedMembers: [...ofOpenAi, ...penalties, "logit_bias"],
    },
    models: [
      { match: /non-reasoning/, capabilities: { refusedMembers: [...ofOpenAi, "logit_bias"] } },
      {
        match: /^grok-3-mini/,
        capabilities: { thinking: "effort", effortLevels: ["low", "high"], maxStops: 0 },
      },
      {
        match: /^grok-(4\.[3-9](?!\d)|[5-9])/,
        capabilities: {
          thinking: "effort",
          effortLevels: ["none", "low", "medium", "high", "xhigh"],
          maxStops: 0,
        },
      },
      { match: /^grok-4/, capabilities: { maxStops: 0 } },
    ],
  },
  {
    id: "xai-video",
    name: "xAI (Grok Imagine), videos",
    owner: "xai",
    dialect: "xai-video",
    baseUrl: "https://api.x.ai/v1",
    capabilities: {},
  },
  {
    // docs.perplexity.ai: every Sonar searches.
    id: "perplexity",
    name: "Perplexity",
    dialect: "openai",
    // The slash prevents `/v1`: calls go to /chat/completions.
    baseUrl: "https://api.perplexity.ai/",
    keyPrefix: "pplx-",
    capabilities: {
      outputTokenField: "max_tokens",
      topK: true,
      documents: false,
      laterSystem: false,
      webSearch: true,
      refusedMembers: [...ofOpenAi, "logit_bias", "seed"],
      // sonar-deep-research reasons ten times as much as it answers, and its price list has both.
      reasoningTokens: "separate",
    },
    models: [
      {
        // Both answer with their thinking in front of the text.
        match: /^sonar-(reasoning|deep-research)/,
        capabilities: { thinking: "effort", effortLevels: ["low", "medium", "high"], thinkTags: true },
      },
    ],
  },
  {
    id: "ark",
    name: "Volcengine Ark (Doubao)",
    dialect: "openai",
    baseUrl: "https://ark.cn-beijing.volces.com/api/v3",
    capabilities: {
      // Its `max_tokens` leaves the thinking out (chat API reference), so it would not bound what a call costs.
      outputTokenField: "max_completion_tokens",
      documents: false,
      refusedMembers: [...ofOpenAi, "seed"],
    },
    models: [
      {
        match: /^(doubao-)?seed/,
        capabilities: { thinking: "type", effortLevels: ["minimal", "low", "medium", "high"], maxStops: 0 },
      },
      {
        match: /^(deepseek-v(3-[1-9]|[4-9])|kimi-k|glm-[4-9])/,
        capabilities: { thinking: "type", echoesThinking: true, maxStops: 0 },
      },
    ],
  },
  {
    id: "ark-video",
    name: "Volcengine Ark (Seedance), videos",
    owner: "ark",
    dialect: "ark",
    baseUrl: "https://ark.cn-beijing.volces.com/api/v3",
    capabilities: {},
  },
  {
    // app.klingai.com, general information: keys of one host are invalid at the other.
    id: "kling",
    name: "Kling, videos",
    dialect: "kling",
    baseUrl: "https://api-beijing.klingai.com",
    capabilities: {},
  },
  {
    id: "kling-intl",
    name: "Kling, videos, international",
    owner: "kling",
    dialect: "kling",
    baseUrl: "https://api-singapore.klingai.com",
    // Its address until 2025, still set in most clients.
    hosts: ["api.klingai.com"],
    capabilities: {},
  },
];
