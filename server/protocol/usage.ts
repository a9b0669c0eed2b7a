import { z } from "zod";

/**
 * Token counts of one call, the only thing billing sees. The input classes do not overlap; `reasoningTokens` is a part
 * of `outputTokens`.
 */
export type Usage = {
  inputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  cacheWrite1hTokens: number;
  outputTokens: number;
  reasoningTokens: number;
};

const count = z.number().int().min(0).max(1e12).nullish();

/** A detail that makes no sense must not cost the counts beside it. */
const detail = count.catch(null);

const ChatUsage = z.object({
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  prompt_tokens_details: z
    .object({ cached_tokens: detail, cache_write_tokens: detail })
    .nullish()
    .catch(null),
  completion_tokens_details: z.object({ reasoning_tokens: detail }).nullish().catch(null),
  prompt_cache_hit_tokens: detail,
  cached_tokens: detail,
  reasoning_tokens: detail,
});

/** Reads an OpenAI-dialect usage object. null: there is none, or it counts nothing (0 is a count, absence is not). */
export function readChatUsage(value: unknown): Usage | null {
  // Most events of a stream have none.
  if (value === undefined || value === null) {
    return null;
  }
  const parsed = ChatUsage.safeParse(value);
  if (!parsed.success) {
    return null;
  }
  const usage = parsed.data;
  if (typeof usage.prompt_tokens !== "number" && typeof usage.completion_tokens !== "number") {
    return null;
  }
  const prompt = usage.prompt_tokens ?? 0;
  const reasoningTokens = usage.completion_tokens_details?.reasoning_tokens ?? usage.reasoning_tokens ?? 0;
  const listed = usage.completion_tokens ?? 0;
  // Some vendors leave reasoning out of completion_tokens (spec 4.2 rule 3 has it in): then the total tells, or the
  // reasoning count itself exceeds what it should be a part of.
  const byTotal = Math.max(listed, (usage.total_tokens ?? 0) - prompt);
  const outputTokens = reasoningTokens > byTotal ? byTotal + reasoningTokens : byTotal;
  const cacheReadTokens = Math.min(
    prompt,
    // DeepSeek's name, and Moonshot's.
    usage.prompt_tokens_details?.cached_tokens ?? usage.prompt_cache_hit_tokens ?? usage.cached_tokens ?? 0,
  );
  const cacheWriteTokens = Math.min(
    prompt - cacheReadTokens,
    usage.prompt_tokens_details?.cache_write_tokens ?? 0,
  );
  return {
    inputTokens: prompt - cacheReadTokens - cacheWriteTokens,
    cacheReadTokens,
    cacheWriteTokens,
    cacheWrite1hTokens: 0,
    outputTokens,
    reasoningTokens,
  };
}

/**
 * The OpenAI-dialect usage object of spec 2.2. What the upstream sent is kept as it is when it says the same; only
 * counts that were normalised or estimated are written anew.
 */
export function writeChatUsage(usage: Usage, sent?: unknown): Record<string, unknown> {
  const kept = typeof sent === "object" && sent !== null ? (sent as Record<string, unknown>) : {};
  const cached = usage.cacheReadTokens;
  const written = usage.cacheWriteTokens + usage.cacheWrite1hTokens;
  const prompt = usage.inputTokens + cached + written;
  const counts = {
    prompt_tokens: prompt,
    completion_tokens: usage.outputTokens,
    total_tokens: prompt + usage.outputTokens,
  };
  if (Object.entries(counts).every(([name, value]) => kept[name] === value)) {
    return kept;
  }
  const details = typeof kept.completion_tokens_details === "object" ? kept.completion_tokens_details : null;
  return {
    ...kept,
    ...counts,
    // A translated answer's; what a vendor of this dialect sent has its own.
    ...(!sent &&
      cached + written > 0 && {
        prompt_tokens_details: { cached_tokens: cached, cache_write_tokens: written },
      }),
    completion_tokens_details: { ...details, reasoning_tokens: usage.reasoningTokens },
  };
}

/** An estimate as usage: all input is new, all output is what it is. */
export function estimatedUsage(tokens: { input: number; output: number; reasoning: number }): Usage {
  return {
    inputTokens: tokens.input,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    cacheWrite1hTokens: 0,
    outputTokens: tokens.output + tokens.reasoning,
    reasoningTokens: tokens.reasoning,
  };
}
