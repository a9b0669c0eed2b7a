/** Sources: api-docs.deepseek.com, thinking mode, vision, Anthropic API. */
import type { Vendor } from "./vendor";

export const deepseekVendors: Vendor[] = [
  {
    id: "deepseek",
    name: "DeepSeek",
    dialect: "openai",
    // The slash keeps it as it stands: the documented base URL has no /v1.
    baseUrl: "https://api.deepseek.com/",
    capabilities: {
      outputTokenField: "max_tokens",
      thinking: "type",
      // It takes them all and maps them onto the three that it has.
      effortLevels: ["minimal", "low", "medium", "high", "xhigh", "max"],
      // A turn with tool calls comes back with its thinking, or the answer is a 400.
      echoesThinking: true,
      documents: false,
      jsonSchema: false,
      severalAnswers: false,
      maxStops: 16,
    },
  },
  {
    id: "deepseek-anthropic",
    name: "DeepSeek, Anthropic dialect",
    dialect: "anthropic",
    baseUrl: "https://api.deepseek.com/anthropic",
    capabilities: {
      thinking: "budget",
      sampling: "full",
      topK: false,
      documents: false,
      echoesThinking: true,
    },
  },
];
