import { z } from "zod";
import type { ServiceTier, UsageSource } from "@/server/domain/enums";
import { type Counted, eachCount, promptOf } from "@/server/pricing";
import { isJsonObject } from "../fields";

/**
 * Counts of one call, the only input of billing. The input classes do not overlap; `outputTokens` includes
 * `reasoningTokens`. `units`: charged units other than tokens (domain/units.ts); absent if there are none.
 */
export type Usage = Counted & { reasoningTokens: number };

export const totalTokens = (usage: Usage): number => promptOf(usage) + usage.outputTokens;

/** The gateway's own count of a call, in whole tokens; `output` excludes `reasoning`. */
export type Estimate = { input: number; output: number; reasoning: number };

/**
 * An upstream's usage of a call. `isWhole`: all of it is the upstream's; otherwise one half is estimated.
 * `hasOtherModel`: a part of it is another model's, which the call's prices do not cover.
 */
export type ReportedUsage = { usage: Usage; isWhole: boolean; hasOtherModel?: boolean };

/** No call has more, and its price would not fit the ledger. */
const MOST_TOKENS = 1e9;

/** Whether sums of counts are still plausible. */
export const isPlausible = (usage: Usage): boolean =>
  Object.values(usage).every((tokens) => typeof tokens !== "number" || tokens <= MOST_TOKENS);

/** Protocol buffers write 64-bit counts as digits in quotes. */
const DIGITS = /^\d{1,12}$/;

/** Reads one number of an upstream. null: no count. 0 is a count here; the caller decides what it means. */
export function readCount(value: unknown): number | null {
  const number = typeof value === "string" && DIGITS.test(value) ? Number(value) : value;
  const isCount = typeof number === "number" && Number.isInteger(number);
  return isCount && number >= 0 && number <= MOST_TOKENS ? number : null;
}

/**
 * Whether a usage object has a count of tokens above zero. Some vendors send an empty one, or zeros, and the counts in
 * another place.
 */
export const hasCounts = (usage: unknown): boolean =>
  isJsonObject(usage) &&
  Object.entries(usage).some(([name, value]) =>
    isJsonObject(value) ? hasCounts(value) : /token/i.test(name) && Boolean(readCount(value)),
  );

/** A count as a member of a schema: an invalid one must not cost the other counts. */
export const count = z.unknown().optional().transform(readCount);

/** The most pieces of one call; a piece costs a million times a token, and no call has as many. */
export const MOST_PIECES = 10_000;

/** Reads a count of pieces. */
export const readPieces = (value: unknown): number | null => {
  const pieces = readCount(value);
  return pieces !== null && pieces <= MOST_PIECES ? pieces : null;
};

/** Web searches that a vendor bills by the call, as a part of `Usage`. */
export const searched = (searches: number | null | undefined): Pick<Usage, "units"> => {
  const pieces = readPieces(searches);
  return pieces ? { units: { web_search: pieces } } : {};
};

/**
 * Counts as an upstream of the chat dialect means them: `prompt` includes cached tokens, `completion` includes
 * reasoning. null: unknown.
 */
export type ChatCounts = {
  prompt: number | null;
  cacheRead: number | null;
  cacheWrite: number | null;
  /** The part of `cacheWrite` that is kept for an hour. */
  cacheWrite1h?: number | null;
  completion: number | null;
  reasoning: number | null;
  /** Web searches, which vendors bill by the call. */
  searches: number | null;
  /** The service tier, if it is not the vendor's usual one. */
  tier?: ServiceTier | undefined;
};

/** The length of the longest answers that vendors sell, with thinking: no unlisted thinking is longer. */
export const MOST_UNLISTED = 131_072;

/**
 * The counts to charge, with `estimate` for missing ones. An output of zero counts only if nothing came through. null:
 * all counts would be estimates.
 */
export function reportedUsage(counts: ChatCounts | null, estimate: Estimate): ReportedUsage | null {
  const estimated = () => estimate.output + estimate.reasoning;
  const completion =
    counts?.completion || (counts && estimated() === 0) ? (counts?.completion ?? null) : null;
  const promptCount = counts?.prompt ?? null;
  if (counts === null || (promptCount === null && completion === null)) {
    return null;
  }
  const prompt = promptCount ?? estimate.input;
  const cacheReadTokens = Math.min(prompt, counts.cacheRead ?? 0);
  const written = Math.min(prompt - cacheReadTokens, counts.cacheWrite ?? 0);
  const cacheWrite1hTokens = Math.min(written, counts.cacheWrite1h ?? 0);
  return {
    usage: {
      inputTokens: prompt - cacheReadTokens - written,
      cacheReadTokens,
      cacheWriteTokens: written - cacheWrite1hTokens,
      cacheWrite1hTokens,
      outputTokens: completion ?? estimated(),
      // Some vendors count reasoning by another tokenizer than the answer that includes it (OpenRouter).
      reasoningTokens: completion === null ? estimate.reasoning : Math.min(counts.reasoning ?? 0, completion),
      ...searched(counts.searches),
      ...(counts.tier && { tier: counts.tier }),
    },
    isWhole: promptCount !== null && completion !== null,
  };
}

/** The counts to charge: the upstream's, and the gateway's own where they are missing. */
export function countedAs(
  reported: ReportedUsage | null,
  estimate: Estimate,
): { usage: Usage; source: UsageSource; hasOtherModel?: boolean } {
  if (!reported) {
    return { usage: estimatedUsage(estimate), source: "estimated" };
  }
  const { usage, isWhole, hasOtherModel } = reported;
  return { usage, source: isWhole ? "upstream" : "partial", ...(hasOtherModel && { hasOtherModel }) };
}

/** The gateway's count of an answer, from fractions of tokens. */
export const estimateOf = (input: number, { output, reasoning }: Omit<Estimate, "input">): Estimate => ({
  input,
  output: Math.ceil(output),
  reasoning: Math.ceil(reasoning),
});

/** An estimate as usage: no input is cached. */
export function estimatedUsage(tokens: Estimate): Usage {
  return {
    ...eachCount(() => 0),
    inputTokens: tokens.input,
    outputTokens: tokens.output + tokens.reasoning,
    reasoningTokens: tokens.reasoning,
  };
}
