/** The most that a call may use, by our estimate of its prompt. Pure. */
import type { ModelKind } from "@/server/base/enums";
import type { Model } from "@/server/catalog";

/** The tokens that vendors add to a conversation: marks of its turns, a line of instructions. */
const CONVERSATION_MARGIN = 32;

/** Our count of a prompt may be low, and a hold should be a ceiling. Only conversations get the margin. */
export const inputCeiling = (estimate: number, kind: ModelKind): number =>
  Math.ceil(estimate * 1.3) + (kind === "chat" ? CONVERSATION_MARGIN : 0);

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
