import { z } from "zod";
import type { UsageSource } from "@/server/base/facts";
import type { Units } from "@/server/base/units";

/**
 * Counts of one call, the only thing billing sees. The input classes do not overlap; `reasoningTokens` is a part
 * of `outputTokens`. `units`: what is paid for beside text (base/units.ts); absent where nothing is.
 */
export type Usage = {
  inputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  cacheWrite1hTokens: number;
  outputTokens: number;
  reasoningTokens: number;
  units?: Units | undefined;
};

export const totalTokens = (usage: Usage): number =>
  usage.inputTokens +
  usage.cacheReadTokens +
  usage.cacheWriteTokens +
  usage.cacheWrite1hTokens +
  usage.outputTokens;

/** Our own count of a call, whole tokens; `output` without `reasoning`. */
export type Estimate = { input: number; output: number; reasoning: number };

/**
 * What an upstream says that a call used. `isWhole`: all of it is its word; else one half is estimated.
 * `hasOtherModel`: a part of it is another model's, which the call's prices were not made for.
 */
export type ReportedUsage = { usage: Usage; isWhole: boolean; hasOtherModel?: boolean };

/** More is no count of any call, and its price would not fit the ledger. */
const MOST_TOKENS = 1e9;

/** Whether a sum of counts is still one. */
export const isPlausible = (usage: Usage): boolean =>
  Object.values(usage).every((tokens) => typeof tokens !== "number" || tokens <= MOST_TOKENS);

const whole = z.number().int().min(0).max(MOST_TOKENS);

/** Protocol buffers write 64-bit counts as digits in quotes. */
const digits = z
  .string()
  .regex(/^\d{1,12}$/)
  .transform(Number)
  .pipe(whole);

/** Field by field: one that makes no sense must not cost the counts beside it. */
export const count = z.union([whole, digits]).nullish().catch(null);

/** What an upstream said of one number, or null. 0 is a count here; what it stands for is for the reader to say. */
export const readCount = (value: unknown): number | null => count.parse(value) ?? null;

/** Of what is billed by the piece, in one call; a million times dearer than tokens, and no call has as many. */
export const MOST_PIECES = 10_000;

/** The same of what is billed by the piece. */
export const readPieces = (value: unknown): number | null => {
  const pieces = readCount(value);
  return pieces !== null && pieces <= MOST_PIECES ? pieces : null;
};

/** Searches of the web that a vendor bills by the call, as a part of `Usage`. */
export const searched = (searches: number | null | undefined): Pick<Usage, "units"> => {
  const pieces = readPieces(searches);
  return pieces ? { units: { web_search: pieces } } : {};
};

/**
 * Counts as an upstream of the chat dialect means them: `prompt` with what is cached, `completion` with reasoning.
 * null: not said.
 */
export type ChatCounts = {
  prompt: number | null;
  cacheRead: number | null;
  cacheWrite: number | null;
  /** As much of `cacheWrite` as is kept for an hour. */
  cacheWrite1h?: number | null;
  completion: number | null;
  reasoning: number | null;
  /** Of the web, which vendors bill by the call. */
  searches: number | null;
};

/** As much as the longest answers that vendors sell, thinking and all: nothing thinks for longer unlisted. */
export const MOST_UNLISTED = 131_072;

/**
 * The counts to charge, `estimate` where there are none. An output of zero is one only where nothing came through.
 * null: all would be our estimate.
 */
export function reportedUsage(counts: ChatCounts | null, estimate: Estimate): ReportedUsage | null {
  const estimated = () => estimate.output + estimate.reasoning;
  const completion =
    counts?.completion || (counts && estimated() === 0) ? (counts?.completion ?? null) : null;
  const told = counts?.prompt ?? null;
  if (counts === null || (told === null && completion === null)) {
    return null;
  }
  const prompt = told ?? estimate.input;
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
      // Some count it by another tokenizer than the answer that it is a part of (OpenRouter).
      reasoningTokens: completion === null ? estimate.reasoning : Math.min(counts.reasoning ?? 0, completion),
      ...searched(counts.searches),
    },
    isWhole: told !== null && completion !== null,
  };
}

/** What to charge: an upstream's word as far as it goes, and our own count where it said nothing. */
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

/** Our count of an answer, from fractions of tokens. */
export const estimateOf = (input: number, { output, reasoning }: Omit<Estimate, "input">): Estimate => ({
  input,
  output: Math.ceil(output),
  reasoning: Math.ceil(reasoning),
});

/** An estimate as usage: all input is new, all output is what it is. */
export function estimatedUsage(tokens: Estimate): Usage {
  return {
    inputTokens: tokens.input,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    cacheWrite1hTokens: 0,
    outputTokens: tokens.output + tokens.reasoning,
    reasoningTokens: tokens.reasoning,
  };
}
