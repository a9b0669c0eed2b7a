/** Sources: platform.kimi.ai, thinking, vision and chat pages. K3 always thinks; K2.7 takes no `disabled`. */
import { ofOpenAi, type Vendor } from "./vendor";

const chat: Omit<Vendor, "id" | "name" | "baseUrl"> = {
  dialect: "openai",
  capabilities: {
    outputTokenField: "max_completion_tokens",
    // The platform fixes sampling for every Kimi model and refuses other values.
    sampling: "none",
    images: "data",
    documents: false,
    echoesThinking: true,
    maxStops: 5,
    refusedMembers: [...ofOpenAi.filter((member) => member !== "prompt_cache_key"), "logit_bias", "seed"],
  },
  models: [
    { match: /^moonshot-v1/, capabilities: { sampling: "full", echoesThinking: false } },
    { match: /^kimi-k2\.[56]/, capabilities: { thinking: "type" } },
    {
      match: /^kimi-k([3-9]|\d\d)/,
      capabilities: { thinking: "effort", effortLevels: ["low", "high", "max"] },
    },
  ],
};

const messages: Omit<Vendor, "id" | "name" | "baseUrl"> = {
  dialect: "anthropic",
  capabilities: { sampling: "none", topK: false, images: "data", documents: false, echoesThinking: true },
  models: [
    { match: /^kimi-k2\.[56]/, capabilities: { thinking: "budget" } },
    {
      match: /^kimi-k([3-9]|\d\d)/,
      capabilities: { thinking: "always", effortLevels: ["low", "high", "max"] },
    },
  ],
};

export const moonshotVendors: Vendor[] = [
  { id: "moonshot", name: "Moonshot (Kimi)", baseUrl: "https://api.moonshot.cn/v1", ...chat },
  {
    id: "moonshot-intl",
    name: "Moonshot (Kimi), international",
    owner: "moonshot",
    baseUrl: "https://api.moonshot.ai/v1",
    ...chat,
  },
  {
    id: "moonshot-anthropic",
    name: "Moonshot (Kimi), Anthropic dialect",
    priceList: "moonshot",
    baseUrl: "https://api.moonshot.cn/anthropic",
    ...messages,
  },
  {
    id: "moonshot-intl-anthropic",
    name: "Moonshot (Kimi), international, Anthropic dialect",
    priceList: "moonshot-intl",
    owner: "moonshot",
    baseUrl: "https://api.moonshot.ai/anthropic",
    ...messages,
  },
];
