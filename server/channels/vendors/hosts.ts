/** Hosts of other makers' models, in the OpenAI dialect. */
import { type ModelRow, ofOpenAi, penalties, type Vendor } from "./vendor";

/** On every host, it accepts these three levels and cannot stop thinking. */
export const gptOss: ModelRow = {
  match: /gpt-oss/,
  capabilities: { thinking: "effort", effortLevels: ["low", "medium", "high"] },
};

const siliconflow: Omit<Vendor, "id" | "name" | "baseUrl"> = {
  dialect: "openai",
  capabilities: {
    outputTokenField: "max_tokens",
    topK: true,
    documents: false,
    jsonSchema: false,
    refusedMembers: [...ofOpenAi, "presence_penalty", "logit_bias", "seed"],
  },
  models: [
    // These models answer 400 to the switch itself ("does not support parameter `enable_thinking`").
    { match: /Instruct|Coder|Thinking|-R1/, capabilities: {} },
    {
      match: /Qwen\/Qwen3|GLM-(4\.[5-9]|5)|DeepSeek-V(3\.[1-9]|[4-9])|Hunyuan-A13B/,
      capabilities: { thinking: "enable_thinking" },
    },
  ],
};

export const hosts: Vendor[] = [
  {
    // openrouter.ai, reasoning tokens and API parameters: it maps effort and limits to the host that serves the model.
    id: "openrouter",
    name: "OpenRouter",
    dialect: "openai",
    baseUrl: "https://openrouter.ai/api/v1",
    keyPrefix: "sk-or-",
    capabilities: {
      outputTokenField: "max_tokens",
      thinking: "effort",
      effortLevels: ["none", "minimal", "low", "medium", "high", "xhigh"],
      topK: true,
      refusedMembers: ["prompt_cache_retention"],
      reasoningDetails: true,
      // The host that serves the model gives one answer, or refuses.
      severalAnswers: false,
    },
    // openrouter.ai, prompt caching: marks on parts, for vendors that need them.
    models: [
      {
        match: /^(anthropic\/claude|qwen\/qwen3-(max|coder-plus))/,
        capabilities: { promptCache: "marks", cacheMinTokens: 1_024 },
      },
    ],
  },
  {
    // According to the cost in each of its answers, reasoning is charged in addition to the completion.
    id: "vercel",
    name: "Vercel AI Gateway",
    dialect: "openai",
    baseUrl: "https://ai-gateway.vercel.sh/v1",
    keyPrefix: "vck_",
    capabilities: { reasoningTokens: "separate" },
  },
  {
    // console.groq.com, reasoning: Qwen 3 knows `none` and `default` only. Service
    // tiers: `default` is refused, and so is `n` above 1.
    id: "groq",
    name: "Groq",
    dialect: "openai",
    baseUrl: "https://api.groq.com/openai/v1",
    keyPrefix: "gsk_",
    capabilities: {
      outputTokenField: "max_completion_tokens",
      documents: false,
      standardTier: "on_demand",
      severalAnswers: false,
      refusedMembers: [...ofOpenAi, ...penalties, "logit_bias"],
    },
    models: [gptOss, { match: /qwen3/, capabilities: { thinking: "effort", effortLevels: ["none"] } }],
  },
  {
    id: "together",
    name: "Together AI",
    dialect: "openai",
    baseUrl: "https://api.together.ai/v1",
    // Its address until 2026, still set in most clients.
    hosts: ["api.together.xyz"],
    capabilities: {
      outputTokenField: "max_tokens",
      topK: true,
      documents: false,
      maxStops: null,
      refusedMembers: ofOpenAi,
    },
    models: [
      gptOss,
      { match: /DeepSeek-R1/, capabilities: { thinkTags: true } },
      {
        // docs.together.ai, GLM-5.3 quickstart.
        match: /GLM-5\.[3-9]/,
        capabilities: { thinking: "effort", effortLevels: ["low", "medium", "high", "max"] },
      },
    ],
  },
  {
    id: "fireworks",
    name: "Fireworks AI",
    dialect: "openai",
    baseUrl: "https://api.fireworks.ai/inference/v1",
    keyPrefix: "fw_",
    capabilities: { outputTokenField: "max_tokens", topK: true, documents: false, refusedMembers: ofOpenAi },
    models: [gptOss],
  },
  {
    id: "cerebras",
    name: "Cerebras",
    dialect: "openai",
    baseUrl: "https://api.cerebras.ai/v1",
    keyPrefix: "csk-",
    capabilities: {
      outputTokenField: "max_completion_tokens",
      documents: false,
      refusedMembers: [...ofOpenAi, ...penalties, "logit_bias"],
    },
    models: [
      gptOss,
      {
        match: /^qwen-3\.8/,
        capabilities: { thinking: "effort", effortLevels: ["none", "low", "medium", "high"] },
      },
    ],
  },
  { id: "siliconflow", name: "SiliconFlow", baseUrl: "https://api.siliconflow.cn/v1", ...siliconflow },
  {
    id: "siliconflow-intl",
    name: "SiliconFlow, international",
    baseUrl: "https://api.siliconflow.com/v1",
    ...siliconflow,
  },
];
