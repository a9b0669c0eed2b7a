/** Anthropic's own models and endpoint. Sources: platform.claude.com, models overview, effort, migration guides. */
import type { Capabilities } from "@/server/protocol/capabilities";
import type { ModelRow, Vendor } from "./vendor";

/** Since Opus 4.7: the models accept only default sampling parameters, and thinking has no budget. */
const current: Partial<Capabilities> = {
  thinking: "adaptive",
  effortLevels: ["low", "medium", "high", "xhigh", "max"],
  sampling: "none",
  topK: false,
  maxOutputTokens: 128_000,
  jsonSchema: true,
};

const always: Partial<Capabilities> = { ...current, thinking: "always" };

/** The shortest prompts that are cached (platform.claude.com, prompt caching). */
const minTokens = (cacheMinTokens: number): Partial<Capabilities> => ({ cacheMinTokens });

/**
 * Names are spelled as Anthropic spells them, or contained in another cloud's
 * (`anthropic.claude-opus-4-5-20251101-v1:0`).
 */
export const claudeModels: ModelRow[] = [
  {
    match: /claude-mythos-preview/,
    capabilities: { ...always, effortLevels: ["low", "medium", "high", "max"] },
  },
  { match: /claude-(fable|mythos)/, capabilities: always },
  // Sonnet 5.5 refuses `disabled` like Opus 5.5; its `between_tools` still thinks between tool calls.
  { match: /claude-(opus|sonnet)-5[-.]5(?!\d)/, capabilities: always },
  { match: /claude-[a-z]+-([5-9]|\d\d)(?!\d)/, capabilities: current },
  { match: /claude-opus-4[-.][789](?!\d)/, capabilities: { ...current, ...minTokens(4_096) } },
  {
    match: /claude-(opus|sonnet)-4[-.]6(?!\d)/,
    capabilities: {
      ...minTokens(2_048),
      thinking: "adaptive",
      effortLevels: ["low", "medium", "high", "max"],
      sampling: "one",
      maxOutputTokens: 128_000,
      jsonSchema: true,
    },
  },
  {
    match: /claude-sonnet-4[-.]5(?!\d)/,
    capabilities: { thinking: "budget", sampling: "one", maxOutputTokens: 64_000, jsonSchema: true },
  },
  {
    match: /claude-(opus|haiku)-4[-.]5(?!\d)/,
    capabilities: {
      thinking: "budget",
      sampling: "one",
      maxOutputTokens: 64_000,
      jsonSchema: true,
      ...minTokens(4_096),
    },
  },
  {
    match: /claude-opus-4[-.]1(?!\d)/,
    capabilities: { thinking: "budget", sampling: "one", maxOutputTokens: 32_000 },
  },
  {
    match: /claude-opus-4/,
    capabilities: { thinking: "budget", sampling: "full", maxOutputTokens: 32_000 },
  },
  {
    match: /claude-(sonnet-4|3[-.]7)/,
    capabilities: { thinking: "budget", sampling: "full", maxOutputTokens: 64_000 },
  },
  {
    match: /claude-3[-.]5-haiku/,
    capabilities: { sampling: "full", maxOutputTokens: 8_192, ...minTokens(2_048) },
  },
  { match: /claude-3[-.]5/, capabilities: { sampling: "full", maxOutputTokens: 8_192 } },
  {
    match: /claude-(3|2|instant)/,
    capabilities: { sampling: "full", maxOutputTokens: 4_096, documents: false, webSearch: false },
  },
];

export const anthropic: Vendor = {
  id: "anthropic",
  name: "Anthropic",
  dialect: "anthropic",
  baseUrl: "https://api.anthropic.com",
  keyPrefix: "sk-ant-",
  capabilities: { webSearch: true, promptCache: "automatic" },
  models: claudeModels,
};
