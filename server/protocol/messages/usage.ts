import { z } from "zod";
import { type Fields, objects } from "../fields";
import type { Estimate, ReportedUsage, Usage } from "../usage";

/** Field by field: one that makes no sense must not cost the counts beside it. */
const count = z.number().int().min(0).max(1e12).nullish().catch(null);

const MessagesUsage = z.object({
  input_tokens: count,
  output_tokens: count,
  cache_creation_input_tokens: count,
  cache_read_input_tokens: count,
  cache_creation: z
    .object({ ephemeral_5m_input_tokens: count, ephemeral_1h_input_tokens: count })
    .nullish()
    .catch(null),
  output_tokens_details: z.object({ thinking_tokens: count }).nullish().catch(null),
});

/** A count that an upstream sent, or what stands in for it. */
export const countOr = (sent: unknown, standIn: number): number => count.parse(sent) ?? standIn;

function readCounts(value: unknown, estimate: Estimate): ReportedUsage | null {
  const parsed = MessagesUsage.safeParse(value);
  if (!parsed.success) {
    return null;
  }
  const usage = parsed.data;
  const { input_tokens: input, output_tokens: output } = usage;
  if (typeof input !== "number" && typeof output !== "number") {
    return null;
  }
  // The total may be told without its split, and the split without its total: what is not said to be 1 h is 5 m.
  const cacheWrite1hTokens = usage.cache_creation?.ephemeral_1h_input_tokens ?? 0;
  const split = cacheWrite1hTokens + (usage.cache_creation?.ephemeral_5m_input_tokens ?? 0);
  const written = Math.max(usage.cache_creation_input_tokens ?? 0, split);
  const cacheReadTokens = usage.cache_read_input_tokens ?? 0;
  const outputTokens = output ?? estimate.output + estimate.reasoning;
  return {
    usage: {
      // What is cached is a part of the prompt that we estimated.
      inputTokens: input ?? Math.max(0, estimate.input - cacheReadTokens - written),
      cacheReadTokens,
      cacheWriteTokens: written - cacheWrite1hTokens,
      cacheWrite1hTokens,
      outputTokens,
      reasoningTokens: Math.min(
        usage.output_tokens_details?.thinking_tokens ?? estimate.reasoning,
        outputTokens,
      ),
    },
    isWhole: typeof input === "number" && typeof output === "number",
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

const NOTHING: Estimate = { input: 0, output: 0, reasoning: 0 };

/**
 * Reads a messages-dialect usage object, whose `input_tokens` has no cached ones in it. null: there is none, or it
 * counts nothing. `estimate`: for the counts that it leaves out, thinking among them, which not every vendor counts
 * apart. Compaction and advisors are billed by the vendor beside the counts on top, and listed only among the iterations
 * (a recorded compaction: 612 on top, 60,385 in its own iteration).
 */
export function readMessagesUsage(value: unknown, estimate: Estimate): ReportedUsage | null {
  if (value === undefined || value === null) {
    return null;
  }
  const onTop = readCounts(value, estimate);
  if (!onTop) {
    return null;
  }
  // One that does not say what it is may be the message itself.
  const asides = objects((value as Fields).iterations)
    .filter(({ type }) => typeof type === "string" && type !== "message")
    .flatMap((iteration) => readCounts(iteration, NOTHING) ?? []);
  return { ...onTop, usage: asides.reduce((total, { usage }) => sum(total, usage), onTop.usage) };
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
