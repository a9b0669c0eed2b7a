import type { Fields } from "./fields";

/** What a vendor serves at the price that its list names, or below it. */
const STANDARD_TIERS: unknown[] = ["auto", "default", "standard", "standard_only", "flex"];
const STANDARD_SPEEDS: unknown[] = ["standard"];

/** Betas that are dearer by themselves: twice the price of long prompts, six times that of fast answers. */
const DEARER_BETA = /^(?:context-1m|fast-mode)-/;

/**
 * Members for those of a call by which a vendor would serve another model (OpenRouter's `models` and `preset`, LiteLLM's
 * `fallbacks`) or the same at a higher price: a call is charged, and a key's list of models is checked, by its `model`
 * alone. What the call does not have is not added.
 */
export function standardTerms(
  fields: Fields,
  { name, wire }: { name: string; wire: "chat" | "messages" },
): Fields {
  const { service_tier, speed, models, fallbacks, preset, mock_testing_fallbacks } = fields;
  const has = (value: unknown) => value !== undefined && value !== null;
  return {
    ...(has(service_tier) &&
      !STANDARD_TIERS.includes(service_tier) && {
        service_tier: wire === "messages" ? "standard_only" : "default",
      }),
    ...(has(speed) && !STANDARD_SPEEDS.includes(speed) && { speed: "standard" }),
    ...(has(models) && { models: [name] }),
    ...(has(fallbacks) && { fallbacks: [] }),
    ...(has(preset) && { preset: null }),
    // A fault that is asked for would count against the channel.
    ...(has(mock_testing_fallbacks) && { mock_testing_fallbacks: false }),
  };
}

/** The headers of a messages call without betas of the same kind. */
export function standardBetas(headers: Record<string, string>): Record<string, string> {
  const { "anthropic-beta": betas = "", ...others } = headers;
  const kept = betas.split(",").filter((beta) => beta.trim() !== "" && !DEARER_BETA.test(beta.trim()));
  return kept.length > 0 ? { ...others, "anthropic-beta": kept.join(",") } : others;
}
