/** Sources: docs.z.ai and docs.bigmodel.cn, thinking mode. Hybrid since GLM-4.5; GLM-5.3 cannot stop thinking. */
import type { Capabilities } from "@/server/protocol/capabilities";
import { ofOpenAi, penalties, type Vendor } from "./vendor";

const alwaysThinks = /^glm-(5\.[3-9]|[6-9])/;
const hybrid = /^glm-(4\.[5-9]|5)/;
const alwaysLevels: Partial<Capabilities> = {
  effortLevels: ["low", "high", "max"],
  maxOutputTokens: 131_072,
};

const chat: Omit<Vendor, "id" | "name" | "baseUrl"> = {
  dialect: "openai",
  capabilities: {
    outputTokenField: "max_tokens",
    documents: false,
    jsonSchema: false,
    severalAnswers: false,
    maxStops: 1,
    refusedMembers: [...ofOpenAi, ...penalties, "logit_bias", "seed"],
  },
  models: [
    {
      match: alwaysThinks,
      capabilities: { ...alwaysLevels, thinking: "effort", echoesThinking: true },
    },
    { match: hybrid, capabilities: { thinking: "type", echoesThinking: true } },
  ],
};

const messages: Omit<Vendor, "id" | "name" | "baseUrl"> = {
  dialect: "anthropic",
  capabilities: { sampling: "full", topK: false, documents: false, echoesThinking: true },
  models: [
    { match: alwaysThinks, capabilities: { ...alwaysLevels, thinking: "always" } },
    { match: hybrid, capabilities: { thinking: "budget" } },
  ],
};

export const zhipuVendors: Vendor[] = [
  { id: "zhipu", name: "Zhipu (GLM)", baseUrl: "https://open.bigmodel.cn/api/paas/v4", ...chat },
  {
    id: "zai",
    name: "Z.AI (GLM), international",
    owner: "zhipu",
    baseUrl: "https://api.z.ai/api/paas/v4",
    ...chat,
  },
  {
    id: "zhipu-anthropic",
    name: "Zhipu (GLM), Anthropic dialect",
    priceList: "zhipu",
    baseUrl: "https://open.bigmodel.cn/api/anthropic",
    ...messages,
  },
  {
    id: "zai-anthropic",
    name: "Z.AI (GLM), international, Anthropic dialect",
    priceList: "zai",
    owner: "zhipu",
    baseUrl: "https://api.z.ai/api/anthropic",
    ...messages,
  },
];
