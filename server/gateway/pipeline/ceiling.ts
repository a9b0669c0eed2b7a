/** The most that a call may use and cost, by our estimate of its prompt. Pure. */

import type { Model } from "@/server/catalog";
import type { ModelKind } from "@/server/domain/enums";
import type { Units } from "@/server/domain/units";
import { type Most, type PriceLimits, priceLimits } from "@/server/pricing";
import type { UsageCeiling } from "./plausible-usage";

/** The tokens that vendors add to a conversation: marks of its turns, a line of instructions. */
const CONVERSATION_MARGIN = 32;

/** Our count of a prompt may be low, and a hold should be a ceiling. Only conversations get the margin. */
export const inputCeiling = (estimate: number, kind: ModelKind): number =>
  Math.ceil(estimate * 1.3) + (kind === "chat" ? CONVERSATION_MARGIN : 0);

/** A capped answer below this is useless (design, section 3). */
export const MIN_CAPPED_TOKENS = 1_024;

/**
 * The most that a call may use. `choices`: answers that may each be as long as the limit. `units`: the most of the
 * units that are paid in addition to tokens of text. `tiers`: the service tiers that can serve it; left out: any.
 */
export type MostUsage = {
  inputTokens: number;
  maxOutputTokens: number | null;
  choices: number;
  units?: Units | undefined;
  tiers?: Most["tiers"];
};

/** The usage that the hold covers. `maxOutputTokens`: the limit that each answer is sent with. */
export const mostOf = (
  model: Model,
  { inputTokens, choices, units, maxOutputTokens, tiers }: MostUsage,
): UsageCeiling => ({
  kind: model.kind,
  input: inputCeiling(inputTokens, model.kind),
  output: (maxOutputTokens ?? model.maxOutputTokens) * choices,
  units: units ?? {},
  ...(tiers && { tiers }),
});

/** The limits of what a call costs, by the output tokens of each answer. */
export function limitsOf(
  { kind, prices }: Pick<Model, "kind" | "prices">,
  { inputTokens, units, tiers, choices }: Omit<MostUsage, "maxOutputTokens">,
): PriceLimits {
  const most = { input: inputCeiling(inputTokens, kind), units: { request: 1, ...units }, tiers };
  const { ceiling, affordable } = priceLimits(most, prices);
  return {
    ceiling: (output) => ceiling(output * choices),
    affordable: (amount) => Math.floor(affordable(amount) / choices),
  };
}

/** Advised for reasoning models (spec 4.2), so that an answer is more than thinking. */
const LEAST_ANSWER = 4_096;

/**
 * The limit of an answer, for upstreams that need one. `paid`: the limit that the hold covers. If the client named
 * none, the limit is at most the rest of the context after the prompt: a vendor refuses a limit that does not fit,
 * although the client asked for none. It is never below what an answer needs: our count of a prompt may be too high,
 * and a vendor that counts more says so.
 */
export function fittingLimit(
  { contextWindow, maxOutputTokens }: Pick<Model, "contextWindow" | "maxOutputTokens">,
  { named, paid, inputTokens }: { named: number | null; paid: number; inputTokens: number },
): number {
  if (named !== null || contextWindow === null) {
    return paid;
  }
  const left = contextWindow - inputCeiling(inputTokens, "chat");
  return Math.min(paid, Math.max(left, Math.min(LEAST_ANSWER, maxOutputTokens)));
}
