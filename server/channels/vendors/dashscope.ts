/**
 * Sources: help.aliyun.com model-studio, deep thinking, context cache, Anthropic API. Only hybrid models get the
 * thinking switch.
 */
import type { Capabilities } from "@/server/protocol/capabilities";
import { ofOpenAi, type Vendor } from "./vendor";

const cannotThink = /-instruct|coder|^qwen-?(vl|mt|long|omni|2)/;
const guests = /^(kimi|deepseek|glm)-/;
const hybrid = /^qwen(-(plus|flash|turbo)|[3-9]|\d\d)/;

/** Models with an explicit cache. Other models ignore a cache mark and take the marked part as text. */
const explicit: Partial<Capabilities> = { promptCache: "marks", cacheMinTokens: 1_024 };

const chat: Omit<Vendor, "id" | "name" | "baseUrl"> = {
  dialect: "openai",
  capabilities: {
    outputTokenField: "max_tokens",
    topK: true,
    documents: false,
    maxStops: null,
    refusedMembers: [...ofOpenAi, "frequency_penalty", "logit_bias"],
  },
  models: [
    { match: /^qwen3-coder-(plus|flash)/, capabilities: explicit },
    { match: cannotThink, capabilities: {} },
    { match: guests, capabilities: { thinking: "enable_thinking", echoesThinking: true } },
    {
      match: /^qwen(-(plus|flash)|3(\.\d+)?-(max|plus|flash)|4)/,
      capabilities: { thinking: "enable_thinking", ...explicit },
    },
    { match: hybrid, capabilities: { thinking: "enable_thinking" } },
  ],
};

const messages: Omit<Vendor, "id" | "name" | "baseUrl"> = {
  dialect: "anthropic",
  capabilities: { sampling: "full", documents: false, echoesThinking: true },
  models: [
    { match: cannotThink, capabilities: {} },
    { match: guests, capabilities: { thinking: "budget" } },
    { match: hybrid, capabilities: { thinking: "budget" } },
  ],
};

const videos: Omit<Vendor, "id" | "name" | "baseUrl"> = {
  dialect: "dashscope",
  owner: "dashscope",
  capabilities: {},
};

export const dashscopeVendors: Vendor[] = [
  {
    id: "dashscope",
    name: "DashScope (Qwen)",
    baseUrl: "https://dashscope.aliyuncs.com/compatible-mode/v1",
    ...chat,
  },
  {
    id: "dashscope-intl",
    name: "DashScope (Qwen), international",
    owner: "dashscope",
    baseUrl: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
    ...chat,
  },
  {
    id: "dashscope-anthropic",
    name: "DashScope (Qwen), Anthropic dialect",
    priceList: "dashscope",
    baseUrl: "https://dashscope.aliyuncs.com/apps/anthropic",
    ...messages,
  },
  {
    id: "dashscope-intl-anthropic",
    name: "DashScope (Qwen), international, Anthropic dialect",
    priceList: "dashscope-intl",
    owner: "dashscope",
    baseUrl: "https://dashscope-intl.aliyuncs.com/apps/anthropic",
    ...messages,
  },
  {
    id: "dashscope-video",
    name: "DashScope (Wan), videos",
    baseUrl: "https://dashscope.aliyuncs.com",
    ...videos,
  },
  {
    id: "dashscope-video-intl",
    name: "DashScope (Wan), videos, international",
    baseUrl: "https://dashscope-intl.aliyuncs.com",
    ...videos,
  },
];
