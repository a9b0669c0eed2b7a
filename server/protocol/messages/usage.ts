import { z } from "zod";
import { type Fields, objects } from "../fields";
import type { Usage } from "../usage";

const count = z.number().int().min(0).max(1e12).nullish();
/** A detail that makes no sense must not cost the counts beside it. */
const detail = count.catch(null);

const MessagesUsage = z.object({
  input_tokens: count,
  output_tokens: count,
  cache_creation_input_tokens: detail,
  cache_read_input_tokens: detail,
  cache_creation: z
    .object({ ephemeral_5m_input_tokens: detail, ephemeral_1h_input_tokens: detail })
    .nullish()
    .catch(null),
  output_tokens_details: z.object({ thinking_tokens: detail }).nullish().catch(null),
});

function readCounts(value: unknown, thinkingEstimate: number): Usage | null {
  const parsed = MessagesUsage.safeParse(value);
  if (!parsed.success) {
    return null;
  }
  const usage = parsed.data;
  if (typeof usage.input_tokens !== "number" && typeof usage.output_tokens !== "number") {
    return null;
  }
  // The total may be told without its split, and the split without its total: what is not said to be 1 h is 5 m.
  const cacheWrite1hTokens = usage.cache_creation?.ephemeral_1h_input_tokens ?? 0;
  const split = cacheWrite1hTokens + (usage.cache_creation?.ephemeral_5m_input_tokens ?? 0);
  const written = Math.max(usage.cache_creation_input_tokens ?? 0, split);
  return {
    inputTokens: usage.input_tokens ?? 0,
    cacheReadTokens: usage.cache_read_input_tokens ?? 0,
    cacheWriteTokens: written - cacheWrite1hTokens,
    cacheWrite1hTokens,
    outputTokens: usage.output_tokens ?? 0,
    reasoningTokens: Math.min(
      usage.output_tokens_details?.thinking_tokens ?? Math.ceil(thinkingEstimate),
      usage.output_tokens ?? 0,
    ),
  };
}

const sum = (left: Usage, right: Usage): Usage => ({
  inputTokens: left.inputTokens + right.inputTokens,
  cacheReadTokens: left.cacheReadTokens + right.cacheReadTokens,
  cacheWriteTokens: left.cacheWriteTokens + right.cacheWriteTokens,
  cacheWrite1hTokens: left.cacheWrite1hTokens + right.cacheWrite1hTokens,
  outputTokens: left.outputTokens + right.outputTokens,
  reasoningTokens: left.reasoningTokens + right.reasoningTokens,
});

/**
 * Reads a messages-dialect usage object, whose `input_tokens` has no cached ones in it. null: there is none, or it
 * counts nothing. Compaction and advisors are billed by the vendor beside the counts on top, and listed only among the
 * iterations (a recorded compaction: 612 on top, 60,385 in its own iteration). `thinkingEstimate`: tokens of the
 * thinking that was seen, for vendors who do not count it apart.
 */
export function readMessagesUsage(value: unknown, thinkingEstimate = 0): Usage | null {
  if (value === undefined || value === null) {
    return null;
  }
  const onTop = readCounts(value, thinkingEstimate);
  return (
    onTop &&
    objects((value as Fields).iterations)
      .filter((iteration) => iteration.type !== "message")
      .map((iteration) => readCounts(iteration, 0))
      .reduce<Usage>((total, aside) => (aside ? sum(total, aside) : total), onTop)
  );
}

/** The messages-dialect usage object of spec 2.3, both cache fields present. */
export function writeMessagesUsage(usage: Usage): Fields {
  return {
    input_tokens: usage.inputTokens,
    cache_creation_input_tokens: usage.cacheWriteTokens + usage.cacheWrite1hTokens,
    cache_read_input_tokens: usage.cacheReadTokens,
    output_tokens: usage.outputTokens,
  };
}
