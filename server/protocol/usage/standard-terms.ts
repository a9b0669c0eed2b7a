import { type ServiceTier, serviceTiers } from "@/server/domain/enums";
import type { Capabilities, Dialect } from "../capabilities";
import { isJsonObject, type JsonObject } from "../fields";

/** The tiers and speeds that a vendor serves at its list price, or below it. */
const STANDARD_TIERS: unknown[] = ["auto", "default", "standard", "standard_only", "flex"];
const STANDARD_SPEEDS: unknown[] = ["standard"];

/** Betas that cost more by themselves: twice the price for long prompts, six times for fast answers. */
const DEARER_BETA = /^(?:context-1m|fast-mode)-/i;
const isDearer = (beta: unknown) => typeof beta === "string" && DEARER_BETA.test(beta.trim());

/** The service tier that an answer names. undefined: the vendor's usual one, or none. */
export const tierOf = (named: unknown): ServiceTier | undefined =>
  serviceTiers.find((tier) => tier === named);

/**
 * The tiers at which an upstream can serve a call: the usual one, and the requested one. undefined: any, because the
 * upstream chooses. A request can be moved to the usual tier, never to a third one.
 */
export function tiersFor({
  service_tier: requested,
}: JsonObject): readonly (ServiceTier | null)[] | undefined {
  if (requested === undefined || requested === null || requested === "auto") {
    return undefined;
  }
  const tier = tierOf(requested);
  return tier ? [null, tier] : [null];
}

type NamedUpstream = { name: string; dialect: Dialect; capabilities?: Pick<Capabilities, "standardTier"> };

const has = (value: unknown) => value !== undefined && value !== null;

/**
 * Replacements for members by which a vendor would serve another model (OpenRouter's `models` and `preset`, LiteLLM's
 * `fallbacks`) or the same at a higher price: the charge and the check against a key's list of models use only the
 * call's `model`. Adds no member that the call does not have. Some gateways unroll `extra_body` into the call.
 */
export function standardTerms(fields: JsonObject, upstream: NamedUpstream): JsonObject {
  const { service_tier, speed, models, fallbacks, preset, anthropic_beta, extra_body } = fields;
  const named = upstream.capabilities?.standardTier ?? null;
  const tiers = named === null ? STANDARD_TIERS : ["auto", "flex", named];
  const usual = upstream.dialect === "messages" ? "standard_only" : "default";
  return {
    ...(has(service_tier) && !tiers.includes(service_tier) && { service_tier: named ?? usual }),
    // A number is the speed of spoken text.
    ...(has(speed) && typeof speed !== "number" && !STANDARD_SPEEDS.includes(speed) && { speed: "standard" }),
    ...(has(models) && { models: [upstream.name] }),
    ...(has(fallbacks) && { fallbacks: [] }),
    ...(has(preset) && { preset: null }),
    ...(Array.isArray(anthropic_beta) && {
      anthropic_beta: anthropic_beta.filter((beta) => !isDearer(beta)),
    }),
    ...(isJsonObject(extra_body) && {
      // The upstream would serve its own model instead of the call's.
      extra_body: {
        ...extra_body,
        ...standardTerms(extra_body, upstream),
        ...(has(extra_body.model) && { model: upstream.name }),
      },
    }),
    // A requested fault would count against the channel.
    ...(has(fields.mock_testing_fallbacks) && { mock_testing_fallbacks: false }),
  };
}

/** Removes dearer betas from the headers of a messages call. */
export function standardBetas(headers: Record<string, string>): Record<string, string> {
  const { "anthropic-beta": betas = "", ...others } = headers;
  const kept = betas.split(",").filter((beta) => beta.trim() !== "" && !isDearer(beta));
  return kept.length > 0 ? { ...others, "anthropic-beta": kept.join(",") } : others;
}
