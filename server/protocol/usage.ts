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

/** Our own count of a call, whole tokens; `output` without `reasoning`. */
export type Estimate = { input: number; output: number; reasoning: number };

/** What an upstream says that a call used. `isWhole`: all of it is its word; else one half is estimated. */
export type ReportedUsage = { usage: Usage; isWhole: boolean };

/** Field by field: one that makes no sense must not cost the counts beside it. */
const count = z.number().int().min(0).max(1e12).nullish().catch(null);

const ChatUsage = z.object({
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  prompt_tokens_details: z.object({ cached_tokens: count, cache_write_tokens: count }).nullish().catch(null),
  completion_tokens_details: z.object({ reasoning_tokens: count }).nullish().catch(null),
  prompt_cache_hit_tokens: count,
  cached_tokens: count,
  cache_read_input_tokens: count,
  cache_creation_input_tokens: count,
  reasoning_tokens: count,
});
type ChatUsage = z.infer<typeof ChatUsage>;

/** The prompt, cached tokens included. null: not said. */
function readPrompt({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: total,
}: ChatUsage) {
  const rest = typeof completion === "number" && typeof total === "number" ? total - completion : -1;
  return prompt ?? (rest >= 0 ? rest : null);
}

/**
 * The answer, reasoning included. null: not said. Some vendors leave reasoning out of completion_tokens (spec 4.2 rule 3
 * has it in): then the total tells, or the reasoning count itself exceeds what it should be a part of.
 */
function readCompletion(usage: ChatUsage, reasoning: number): number | null {
  const { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total } = usage;
  const rest = typeof prompt === "number" && typeof total === "number" ? total - prompt : 0;
  if (typeof completion !== "number" && rest <= 0) {
    return null;
  }
  const byTotal = Math.max(completion ?? 0, rest);
  return reasoning > byTotal ? byTotal + reasoning : byTotal;
}

/**
 * Reads an OpenAI-dialect usage object. null: there is none, or it counts nothing (0 is a count, absence is not).
 * `estimate`: for the half that it leaves out.
 */
export function readChatUsage(value: unknown, estimate: Estimate): ReportedUsage | null {
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
  const listedReasoning = usage.completion_tokens_details?.reasoning_tokens ?? usage.reasoning_tokens;
  const listedPrompt = readPrompt(usage);
  const completion = readCompletion(usage, listedReasoning ?? 0);
  const prompt = listedPrompt ?? estimate.input;
  const cacheReadTokens = Math.min(
    prompt,
    // DeepSeek's name, Moonshot's and Databricks'.
    usage.prompt_tokens_details?.cached_tokens ??
      usage.prompt_cache_hit_tokens ??
      usage.cached_tokens ??
      usage.cache_read_input_tokens ??
      0,
  );
  const cacheWriteTokens = Math.min(
    prompt - cacheReadTokens,
    usage.prompt_tokens_details?.cache_write_tokens ?? usage.cache_creation_input_tokens ?? 0,
  );
  return {
    usage: {
      inputTokens: prompt - cacheReadTokens - cacheWriteTokens,
      cacheReadTokens,
      cacheWriteTokens,
      cacheWrite1hTokens: 0,
      outputTokens: completion ?? estimate.output + estimate.reasoning,
      reasoningTokens: completion === null ? estimate.reasoning : (listedReasoning ?? 0),
    },
    isWhole: listedPrompt !== null && completion !== null,
  };
}

/** What to charge: an upstream's word as far as it goes, and our own count where it said nothing. */
export function countedAs(
  reported: ReportedUsage | null,
  estimate: Estimate,
): { usage: Usage; source: "upstream" | "partial" | "estimated" } {
  return reported
    ? { usage: reported.usage, source: reported.isWhole ? "upstream" : "partial" }
    : { usage: estimatedUsage(estimate), source: "estimated" };
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
