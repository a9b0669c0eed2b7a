/** Sources: api-docs.deepseek.com, thinking mode, vision, Anthropic API. */
import { ofOpenAi, type Vendor } from "./vendor";

export const deepseekVendors: Vendor[] = [
  {
    id: "deepseek",
    name: "DeepSeek",
    dialect: "openai",
    // The slash prevents `/v1`: the documented base URL has none.
    baseUrl: "https://api.deepseek.com/",
    capabilities: {
      outputTokenField: "max_tokens",
      thinking: "type",
      // It accepts all of them and maps them to its own three.
      effortLevels: ["minimal", "low", "medium", "high", "xhigh", "max"],
      // A turn with tool calls must be sent back with its thinking, or the answer is a 400.
      echoesThinking: true,
      documents: false,
      jsonSchema: false,
      severalAnswers: false,
      maxStops: 16,
      refusedMembers: [...ofOpenAi, "logit_bias", "seed"],
    },
  },
  {
    id: "deepseek-anthropic",
    name: "DeepSeek, Anthropic dialect",
    dialect: "anthropic",
    priceList: "deepseek",
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
