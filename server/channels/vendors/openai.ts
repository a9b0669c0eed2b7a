/** OpenAI's models, at OpenAI and in Azure. Sources: developers.openai.com models, learn.microsoft.com v1 API. */
import type { Capabilities } from "@/server/protocol/capabilities";
import type { ModelRow, Vendor } from "./vendor";

/**
 * Without `store`, the chat endpoint refuses metadata (langchaingo#1484), and the gateway lets no vendor store. Only some
 * of the models up to GPT-5.5 take a longer cache (OpenHands/software-agent-sdk#1345, SparkyFitness#2199).
 */
const newer: Capabilities["refusedMembers"] = ["metadata", "prompt_cache_retention"];

/** Models before GPT-5, and those for code, take one value of `verbosity` (concordia#164, openai/codex#19188). */
const earlier: Capabilities["refusedMembers"] = [...newer, "verbosity"];

/** They refuse `max_tokens`, `stop`, and every non-default sampling parameter. */
const reasoning: Partial<Capabilities> = {
  outputTokenField: "max_completion_tokens",
  maxOutputTokens: 128_000,
  thinking: "effort",
  sampling: "none",
  maxStops: 0,
  refusedMembers: newer,
};

const ofFirst: Partial<Capabilities> = { ...reasoning, refusedMembers: earlier };

/** They refuse every parameter of sampling (NextChat#6569). */
const searching: Partial<Capabilities> = {
  ...{ sampling: "none", webSearch: true },
  refusedMembers: [...earlier, "seed", "prompt_cache_key"],
};

/** The models of a generation, and those for code. */
const generation = (match: RegExp, effortLevels: Capabilities["effortLevels"]): ModelRow[] => [
  { match: new RegExp(`${match.source}.*codex`), capabilities: { ...ofFirst, effortLevels } },
  { match, capabilities: { ...reasoning, effortLevels } },
];

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
  { match: /^gpt-5-search/, capabilities: { ...ofFirst, thinking: "none", ...searching } },
  { match: /^gpt-5(\.\d+)?-chat/, capabilities: { ...ofFirst, thinking: "none", maxOutputTokens: 16_384 } },
  ...generation(/^gpt-5(-|$)/, ["minimal", "low", "medium", "high"]),
  ...generation(/^gpt-5\.1(-|$)/, ["none", "low", "medium", "high"]),
  // Azure writes 3.5 and 4.1 without the dot.
  ...generation(/^gpt-([5-9]|[12]\d)/, ["none", "low", "medium", "high", "xhigh"]),
  { match: /^gpt-4o(-mini)?-search/, capabilities: searching },
  { match: /^(ft:)?gpt-4\.?1/, capabilities: { maxOutputTokens: 32_768 } },
  { match: /^(ft:)?gpt-4o/, capabilities: { maxOutputTokens: 16_384 } },
  { match: /^(ft:)?gpt-(4-turbo|3\.?5)/, capabilities: { maxOutputTokens: 4_096 } },
];

/** Azure also serves models of other makers at these hosts, under any name: only the names of OpenAI's models count. */
const azureModels = (models: ModelRow[], refusedMembers: Capabilities["refusedMembers"]): ModelRow[] =>
  models.map(({ match, capabilities }) => ({ match, capabilities: { refusedMembers, ...capabilities } }));

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
    keyPrefix: "sk-proj-",
    baseUrl: "https://api.openai.com/v1",
    capabilities: { refusedMembers: earlier },
    models: openaiModels,
  },
  {
    // Some models exist only in this dialect (the pro and codex tiers), and it carries thinking from turn to turn.
    id: "openai-responses",
    name: "OpenAI (Responses)",
    dialect: "openai-responses",
    priceList: "openai",
    baseUrl: "https://api.openai.com/v1",
    capabilities: { refusedMembers: takingMetadata(earlier) },
    models: responsesModels,
  },
  {
    id: "azure-openai",
    name: "Azure OpenAI",
    dialect: "openai",
    priceList: "openai",
    // Its list has every model that could be deployed, and calls name deployments.
    hidesModels: true,
    // https://RESOURCE.openai.azure.com/openai/v1, which takes the key as a bearer token.
    baseUrl: null,
    hosts: [".openai.azure.com", ".services.ai.azure.com"],
    capabilities: {},
    // An upstream name is a deployment's name: the rows apply if it is named like its model.
    models: azureModels(openaiModels, earlier),
  },
  {
    id: "azure-openai-responses",
    name: "Azure OpenAI (Responses)",
    dialect: "openai-responses",
    priceList: "openai",
    hidesModels: true,
    baseUrl: null,
    hosts: [".openai.azure.com", ".services.ai.azure.com"],
    capabilities: {},
    models: azureModels(responsesModels, takingMetadata(earlier)),
  },
];
