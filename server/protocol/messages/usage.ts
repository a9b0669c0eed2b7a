import { z } from "zod";
import { type JsonObject, objects } from "../fields";
import {
  count,
  type Estimate,
  isPlausible,
  type ReportedUsage,
  readCount,
  searched,
  type Usage,
} from "../usage";

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
  server_tool_use: z.object({ web_search_requests: count }).nullish().catch(null),
});

/** The prompt of a usage object: what is cached stands beside the new input. 0: nobody counted one. */
export const promptOf = (usage: JsonObject): number =>
  ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"].reduce(
    (sum, name) => sum + (readCount(usage[name]) ?? 0),
    0,
  );

function readCounts(value: unknown, estimate: Estimate): ReportedUsage | null {
  const parsed = MessagesUsage.safeParse(value);
  if (!parsed.success) {
    return null;
  }
  const usage = parsed.data;
  // The total may be told without its split, and the split without its total: what is not said to be 1 h is 5 m.
  const cacheWrite1hTokens = usage.cache_creation?.ephemeral_1h_input_tokens ?? 0;
  const split = cacheWrite1hTokens + (usage.cache_creation?.ephemeral_5m_input_tokens ?? 0);
  const written = Math.max(usage.cache_creation_input_tokens ?? 0, split);
  const cacheReadTokens = usage.cache_read_input_tokens ?? 0;
  const isPrompt = (usage.input_tokens ?? 0) + cacheReadTokens + written > 0;
  const input = isPrompt ? (usage.input_tokens ?? null) : null;
  const estimated = estimate.output + estimate.reasoning;
  const output = usage.output_tokens || (estimated === 0 ? (usage.output_tokens ?? null) : null);
  if (input === null && output === null) {
    return null;
  }
  const outputTokens = output ?? estimated;
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
      ...searched(usage.server_tool_use?.web_search_requests),
    },
    isWhole: input !== null && output !== null,
  };
}

const sum = (left: Usage, right: Usage): Usage => ({
  inputTokens: left.inputTokens + right.inputTokens,
  cacheReadTokens: left.cacheReadTokens + right.cacheReadTokens,
  cacheWriteTokens: left.cacheWriteTokens + right.cacheWriteTokens,
  cacheWrite1hTokens: left.cacheWrite1hTokens + right.cacheWrite1hTokens,
  outputTokens: left.outputTokens + right.outputTokens,
  reasoningTokens: left.reasoningTokens + right.reasoningTokens,
  // Searches are counted on top alone.
  ...(left.units && { units: left.units }),
});

/** Iterations beside the message. One that does not say what it is may be the message itself. */
const asidesOf = (usage: JsonObject): JsonObject[] =>
  objects(usage.iterations).filter(({ type }) => typeof type === "string" && type !== "message");

const NOTHING: Estimate = { input: 0, output: 0, reasoning: 0 };

/**
 * Reads a messages-dialect usage object, whose `input_tokens` has no cached ones in it. null: there is none, or it
 * counts nothing: a prompt of zero is one that nobody counted, an output of zero one only where nothing came.
 * `estimate`: for the counts that it leaves out, thinking among them, which not every vendor counts apart. Compaction
 * and advisors are billed by the vendor beside the counts on top, and listed only among the iterations (a recorded
 * compaction: 612 on top, 60,385 in its own iteration). `model`: as the upstream names the one that answered.
 */
export function readMessagesUsage(value: unknown, estimate: Estimate, model?: unknown): ReportedUsage | null {
  if (value === undefined || value === null) {
    return null;
  }
  const onTop = readCounts(value, estimate);
  if (!onTop) {
    return null;
  }
  const asides = asidesOf(value as JsonObject).flatMap((iteration) => {
    const counts = readCounts(iteration, NOTHING);
    return counts ? { model: iteration.model ?? model, usage: counts.usage } : [];
  });
  const usage = asides.reduce((total, aside) => sum(total, aside.usage), onTop.usage);
  if (!isPlausible(usage)) {
    return null;
  }
  return {
    ...onTop,
    usage,
    ...(asides.some((aside) => aside.model !== model) && { hasOtherModel: true }),
  };
}

/** The messages-dialect usage object of spec 2.3, both cache fields present. */
export function writeMessagesUsage(usage: Usage): JsonObject {
  return {
    input_tokens: usage.inputTokens,
    cache_creation_input_tokens: usage.cacheWriteTokens + usage.cacheWrite1hTokens,
    cache_read_input_tokens: usage.cacheReadTokens,
    output_tokens: usage.outputTokens,
    // A part of the output. Clients take its absence for 0.
    ...(usage.reasoningTokens > 0 && { output_tokens_details: { thinking_tokens: usage.reasoningTokens } }),
  };
}
