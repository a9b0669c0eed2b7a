import { z } from "zod";
import { promptOf as allInput, eachCount } from "@/server/pricing";
import { isJsonObject, type JsonObject, objects } from "../fields";
import { withSnakeNames } from "../usage/snake-names";
import { tierOf } from "../usage/standard-terms";
import {
  count,
  type Estimate,
  isPlausible,
  type ReportedUsage,
  readCount,
  searched,
  type Usage,
} from "../usage/usage";

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
  service_tier: z.unknown().optional(),
  // The chat dialect's names, from vendors that serve both dialects with one counter.
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  cached_tokens: count,
  prompt_tokens_details: z.object({ cached_tokens: count }).nullish().catch(null),
  input_tokens_details: z.object({ cached_tokens: count }).nullish().catch(null),
});
type MessagesUsage = z.infer<typeof MessagesUsage>;

/** The members that together count the prompt: they must come from one event. */
export const promptMembers = [
  ...["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "cache_creation"],
  ...["prompt_tokens", "prompt_tokens_details", "input_tokens_details", "cached_tokens"],
] as const;

/** The prompt of a usage object: this dialect counts cached tokens separately from new input. 0: no count. */
export const promptOf = (usage: JsonObject): number =>
  [
    readCount(usage.input_tokens) || readCount(usage.prompt_tokens),
    readCount(usage.cache_read_input_tokens),
    readCount(usage.cache_creation_input_tokens),
  ].reduce((sum: number, tokens) => sum + (tokens ?? 0), 0);

/** Drops empty members: a later event of a vendor may omit, or send as null, what an earlier one contained. */
export const saidMembers = (fields: unknown): JsonObject =>
  Object.fromEntries(
    Object.entries(isJsonObject(fields) ? withSnakeNames(fields) : {}).filter(
      ([, value]) => value !== null && value !== undefined,
    ),
  );

const isNothing = (value: unknown): boolean =>
  isJsonObject(value) ? Object.values(value).every(isNothing) : !readCount(value);

/** Whether a later event's prompt members count nothing, or too little because some are missing. */
function isUnfilled(earlier: JsonObject, later: JsonObject): boolean {
  const lacks = (name: string) => !isNothing(earlier[name]) && isNothing(later[name]);
  const gains = (name: string) => isNothing(earlier[name]) && !isNothing(later[name]);
  const more = promptOf(later) - promptOf(earlier);
  // A prompt that moves from a cache write to a cache read has the same size.
  const isMoved = more === 0 && (gains("cache_read_input_tokens") || gains("cache_creation_input_tokens"));
  return (
    promptMembers.every((name) => later[name] === undefined) ||
    (more <= 0 && !isMoved && promptMembers.some(lacks))
  );
}

/** All cached tokens of a usage object. */
const cachedOf = (usage: JsonObject): number =>
  [usage.cache_read_input_tokens, usage.cache_creation_input_tokens].reduce(
    (sum: number, tokens) => sum + (readCount(tokens) ?? 0),
    0,
  );

/**
 * A later event's input without the cached tokens, where the input includes them: a prompt does not change its size
 * during a stream, so an input as large as the whole earlier prompt is the whole prompt. null: it does not.
 */
function repeatedInput(earlier: JsonObject, later: JsonObject): number | null {
  const input = readCount(later.input_tokens);
  const cached = cachedOf(later);
  const isWhole = input !== null && input === promptOf(earlier) && cached > 0 && cached <= input;
  return isWhole && inputBesideCache(later) === null ? input - cached : null;
}

const promptNames = new Set<string>(promptMembers);
const pick = (usage: JsonObject, { isPrompt }: { isPrompt: boolean }): JsonObject =>
  Object.fromEntries(Object.entries(usage).filter(([name]) => promptNames.has(name) === isPrompt));

/**
 * Merges a later event's usage members into the earlier ones: later counts replace earlier ones, since they are totals,
 * never increments. The prompt's members come from one event: otherwise a prompt that was written to a cache and then
 * read from it would be charged twice. But if the later prompt is smaller than the earlier one, its zeros are unfilled
 * members, and so is an output of zero after a count. A prompt with `iterations` is complete: it lists the start's
 * count, a compaction's prompt, among them.
 */
export function mergeUsage(earlier: JsonObject, later: JsonObject): JsonObject {
  if (Array.isArray(later.iterations) && promptOf(later) > 0) {
    return later;
  }
  const { input_tokens, output_tokens, cache_creation } = earlier;
  // The end has the total that was written; only the start splits it by lifetime.
  const written = (usage: JsonObject) => readCount(usage.cache_creation_input_tokens) ?? 0;
  const isSplit = written(later) >= written(earlier);
  const isTold = !isNothing(later.prompt_tokens);
  const repeated = repeatedInput(earlier, later);
  const prompt = isUnfilled(earlier, later)
    ? pick(earlier, { isPrompt: true })
    : {
        ...(!isTold && { input_tokens }),
        ...(isSplit && { cache_creation }),
        ...pick(later, { isPrompt: true }),
        ...(repeated !== null && { input_tokens: repeated }),
      };
  const output = readCount(later.output_tokens) || readCount(later.completion_tokens);
  return saidMembers({
    ...pick(earlier, { isPrompt: false }),
    ...pick(later, { isPrompt: false }),
    ...prompt,
    output_tokens: output || (output_tokens ?? later.output_tokens),
  });
}

/**
 * The prompt's classes, which do not overlap. Some vendors include cached tokens in the input, as in the chat dialect
 * (DashScope): they send its details, or the total shows it. `input` null: unknown.
 */
function readPrompt({ cache_creation: split, ...usage }: MessagesUsage) {
  const details = usage.prompt_tokens_details ?? usage.input_tokens_details;
  const insideRead = details?.cached_tokens || usage.cached_tokens || 0;
  // The total may come without its split, and the split without its total: tokens not marked as 1 h count as 5 m.
  const write1h = split?.ephemeral_1h_input_tokens ?? 0;
  const written = Math.max(
    usage.cache_creation_input_tokens ?? 0,
    write1h + (split?.ephemeral_5m_input_tokens ?? 0),
  );
  const cacheRead = usage.cache_read_input_tokens || insideRead;
  const cached = cacheRead + written;
  const prompt = usage.input_tokens || (usage.prompt_tokens ?? usage.input_tokens ?? null);
  const hasChatForm =
    details != null || insideRead > 0 || (!usage.input_tokens && Boolean(usage.prompt_tokens));
  const output = usage.output_tokens ?? usage.completion_tokens ?? 0;
  const isInside = cached > 0 && prompt !== null && (hasChatForm || usage.total_tokens === prompt + output);
  const isCounted = (prompt ?? 0) + cached > 0;
  const input = isInside ? Math.max(0, prompt - cached) : prompt;
  return { input: isCounted ? input : null, cacheRead, written, write1h, isInside };
}

/** The input without cached tokens, for a usage object that includes them. null: it needs no change. */
export function inputBesideCache(usage: JsonObject): number | null {
  const parsed = MessagesUsage.safeParse(usage);
  const prompt = parsed.success ? readPrompt(parsed.data) : null;
  return prompt && (prompt.isInside || usage.input_tokens == null) ? prompt.input : null;
}

function readCounts(value: unknown, estimate: Estimate): ReportedUsage | null {
  const parsed = MessagesUsage.safeParse(isJsonObject(value) ? withSnakeNames(value) : value);
  if (!parsed.success) {
    return null;
  }
  const usage = parsed.data;
  const { input, cacheRead: cacheReadTokens, written, write1h: cacheWrite1hTokens } = readPrompt(usage);
  const estimated = () => estimate.output + estimate.reasoning;
  const reportedOutput = usage.output_tokens || (usage.completion_tokens ?? usage.output_tokens ?? null);
  const output = reportedOutput || (estimated() === 0 ? reportedOutput : null);
  if (input === null && output === null) {
    return null;
  }
  const outputTokens = output ?? estimated();
  const tier = tierOf(usage.service_tier);
  return {
    usage: {
      // The estimate of the prompt includes cached tokens.
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
      ...(tier && { tier }),
    },
    isWhole: input !== null && output !== null,
  };
}

/** `prompt`: the longer one, because the vendor counts each iteration as a request. */
const sum = (left: Usage, right: Usage): Usage => ({
  // Only the counts on top include searches and the tier.
  ...left,
  ...eachCount((member) => left[member] + right[member]),
  reasoningTokens: left.reasoningTokens + right.reasoningTokens,
  prompt: Math.max(left.prompt ?? allInput(left), allInput(right)),
});

/** Iterations other than the message itself. One without a type may be the message itself. */
const asidesOf = (usage: JsonObject): JsonObject[] =>
  objects(usage.iterations).filter(({ type }) => typeof type === "string" && type !== "message");

const NOTHING: Estimate = { input: 0, output: 0, reasoning: 0 };

/**
 * Reads a messages-dialect usage object, whose `input_tokens` excludes cached ones. null: there is none, or it has no
 * counts: a prompt of zero is no count; an output of zero is one only if nothing came. `estimate`: for missing counts,
 * thinking among them, which some vendors do not count separately. The vendor bills compaction and advisors in addition
 * to the counts on top, and lists them only among the iterations (a recorded compaction: 612 on top, 60,385 in its own
 * iteration). `model`: the upstream's name of the model that answered.
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
    // Included in the output. Clients read a missing member as 0.
    ...(usage.reasoningTokens > 0 && { output_tokens_details: { thinking_tokens: usage.reasoningTokens } }),
  };
}
