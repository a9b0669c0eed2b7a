/** OpenAI's models, at OpenAI and in Azure. Sources: developers.openai.com models, learn.microsoft.com v1 API. */
import type { Capabilities } from "@/server/protocol/capabilities";
import type { ModelRow, Vendor } from "./vendor";

/**
 * Without `store`, the chat endpoint refuses metadata (langchaingo#1484), and the gateway lets no vendor store. Models
 * before GPT-5 refuse most values of `verbosity` (concordia#164), and some a longer cache.
 */
const earlier: Capabilities["refusedMembers"] = ["metadata", "verbosity", "prompt_cache_retention"];

/** They refuse `max_tokens`, `stop`, and every non-default sampling parameter. */
const reasoning: Partial<Capabilities> = {
  outputTokenField: "max_completion_tokens",
  maxOutputTokens: 128_000,
  thinking: "effort",
  sampling: "none",
  maxStops: 0,
  refusedMembers: ["metadata"],
};

const ofFirst: Partial<Capabilities> = { ...reasoning, refusedMembers: earlier };

const openaiModels: ModelRow[] = [
  // The first reasoning models: no effort, no schema.
  {
    match: /^o1-(mini|preview)/,
    capabilities: { ...ofFirst, thinking: "none", maxOutputTokens: null, jsonSchema: false },
  },
  {
    match: /^(ft:)?o\d/,
    capabilities: { ...ofFirst, maxOutputTokens: 100_000, effortLevels: ["low", "medium", "high"] },
  },
  { match: /^gpt-5-search/, capabilities: { ...ofFirst, thinking: "none", webSearch: true } },
  { match: /^gpt-5(\.\d+)?-chat/, capabilities: { ...ofFirst, thinking: "none", maxOutputTokens: 16_384 } },
  {
    match: /^gpt-5(-|$)/,
    capabilities: { ...reasoning, effortLevels: ["minimal", "low", "medium", "high"] },
  },
  {
    match: /^gpt-5\.1(-|$)/,
    capabilities: { ...reasoning, effortLevels: ["none", "low", "medium", "high"] },
  },
  {
    // Azure writes 3.5 and 4.1 without the dot.
    match: /^gpt-([5-9]|[12]\d)/,
    capabilities: { ...reasoning, effortLevels: ["none", "low", "medium", "high", "xhigh"] },
  },
  { match: /^gpt-4o(-mini)?-search/, capabilities: { sampling: "none", webSearch: true } },
  { match: /^(ft:)?gpt-4\.?1/, capabilities: { maxOutputTokens: 32_768 } },
  { match: /^(ft:)?gpt-4o/, capabilities: { maxOutputTokens: 16_384 } },
  { match: /^(ft:)?gpt-(4-turbo|3\.?5)/, capabilities: { maxOutputTokens: 4_096 } },
];

const takingMetadata = (refused: Capabilities["refusedMembers"]) =>
  refused.filter((name) => name !== "metadata");

/**
 * The same models in the Responses dialect, which has one field for the limit and takes metadata. A search is charged
 * per search.
 */
const responsesModels: ModelRow[] = openaiModels.map(
  ({ match, capabilities: { outputTokenField: _field, webSearch: _search, ...capabilities } }) => ({
    match,
    capabilities: {
      ...capabilities,
      ...(capabilities.refusedMembers && { refusedMembers: takingMetadata(capabilities.refusedMembers) }),
    },
  }),
);

export const openaiVendors: Vendor[] = [
  {
    id: "openai",
    name: "OpenAI",
    dialect: "openai",
    baseUrl: "https://api.openai.com/v1",
    capabilities: { refusedMembers: earlier },
    models: openaiModels,
  },
  {
    // Some models exist only in this dialect (the pro and codex tiers), and it carries thinking from turn to turn.
    id: "openai-responses",
    name: "OpenAI (Responses)",
    dialect: "openai-responses",
    baseUrl: "https://api.openai.com/v1",
    capabilities: { refusedMembers: takingMetadata(earlier) },
    models: responsesModels,
  },
  {
    id: "azure-openai",
    name: "Azure OpenAI",
    dialect: "openai",
    // https://RESOURCE.openai.azure.com/openai/v1, which takes the key as a bearer token.
    baseUrl: null,
    hosts: [".openai.azure.com", ".services.ai.azure.com"],
    capabilities: { refusedMembers: earlier },
    // An upstream name is a deployment's name: the rows apply if it is named like its model.
    models: openaiModels,
  },
  {
    id: "azure-openai-responses",
    name: "Azure OpenAI (Responses)",
    dialect: "openai-responses",
    baseUrl: null,
    hosts: [".openai.azure.com", ".services.ai.azure.com"],
    capabilities: { refusedMembers: takingMetadata(earlier) },
    models: responsesModels,
  },
];
