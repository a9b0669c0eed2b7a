import { z } from "zod";
import { isJsonObject, type JsonObject, objects } from "../fields";
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
  // The chat dialect's names, of vendors that serve both by one count.
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  cached_tokens: count,
  prompt_tokens_details: z.object({ cached_tokens: count }).nullish().catch(null),
  input_tokens_details: z.object({ cached_tokens: count }).nullish().catch(null),
});
type MessagesUsage = z.infer<typeof MessagesUsage>;

/** Members that tell one count, the prompt: those of one event belong together. */
export const promptMembers = [
  ...["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "cache_creation"],
  ...["prompt_tokens", "prompt_tokens_details", "input_tokens_details", "cached_tokens"],
] as const;

/** The prompt of a usage object: what is cached stands beside the new input. 0: nobody counted one. */
export const promptOf = (usage: JsonObject): number =>
  [
    readCount(usage.input_tokens) || readCount(usage.prompt_tokens),
    readCount(usage.cache_read_input_tokens),
    readCount(usage.cache_creation_input_tokens),
  ].reduce((sum: number, tokens) => sum + (tokens ?? 0), 0);

/** Members that say something: a vendor's later event may leave out, or send as null, what an earlier one said. */
export const saidMembers = (fields: unknown): JsonObject =>
  Object.fromEntries(
    Object.entries(isJsonObject(fields) ? fields : {}).filter(
      ([, value]) => value !== null && value !== undefined,
    ),
  );

const isNothing = (value: unknown): boolean =>
  isJsonObject(value) ? Object.values(value).every(isNothing) : !readCount(value);

/** Of the members that tell the prompt: whether a later event says nothing, or too little, having left some out. */
function isUnfilled(earlier: JsonObject, later: JsonObject): boolean {
  const lacks = (name: string) => !isNothing(earlier[name]) && isNothing(later[name]);
  const gains = (name: string) => isNothing(earlier[name]) && !isNothing(later[name]);
  const more = promptOf(later) - promptOf(earlier);
  // What was written to a cache and then read from it is as much.
  const isMoved = more === 0 && (gains("cache_read_input_tokens") || gains("cache_creation_input_tokens"));
  return (
    promptMembers.every((name) => later[name] === undefined) ||
    (more <= 0 && !isMoved && promptMembers.some(lacks))
  );
}

const promptNames = new Set<string>(promptMembers);
const pick = (usage: JsonObject, { isPrompt }: { isPrompt: boolean }): JsonObject =>
  Object.fromEntries(Object.entries(usage).filter(([name]) => promptNames.has(name) === isPrompt));

/**
 * The usage members so far and those of a later event, of which the later ones count: they are totals, never
 * increments. The members of one count are taken from one event: of a prompt that was written to a cache and then read
 * from it, those of both would be charged. But where the later prompt is smaller than the one before, its zeros are
 * members that nobody filled in, and so is an output of zero after a count of it. A prompt that comes with `iterations`
 * is complete in itself: what the start counted, a compaction's prompt, is listed among them.
 */
export function mergeUsage(earlier: JsonObject, later: JsonObject): JsonObject {
  if (Array.isArray(later.iterations) && promptOf(later) > 0) {
    return later;
  }
  const { input_tokens, output_tokens, cache_creation } = earlier;
  // The end tells the total that was written, and the start alone how long it is kept.
  const written = (usage: JsonObject) => readCount(usage.cache_creation_input_tokens) ?? 0;
  const isSplit = written(later) >= written(earlier);
  const isTold = !isNothing(later.prompt_tokens);
  const prompt = isUnfilled(earlier, later)
    ? pick(earlier, { isPrompt: true })
    : {
        ...(!isTold && { input_tokens }),
        ...(isSplit && { cache_creation }),
        ...pick(later, { isPrompt: true }),
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
 * The prompt's classes, which do not overlap. Vendors that count as in the chat dialect have what is cached inside of
 * their input (DashScope): they name its details, or the total says so. `input` null: not said.
 */
function readPrompt({ cache_creation: split, ...usage }: MessagesUsage) {
  const details = usage.prompt_tokens_details ?? usage.input_tokens_details;
  const insideRead = details?.cached_tokens || usage.cached_tokens || 0;
  // The total may be told without its split, and the split without its total: what is not said to be 1 h is 5 m.
  const write1h = split?.ephemeral_1h_input_tokens ?? 0;
  const written = Math.max(
    usage.cache_creation_input_tokens ?? 0,
    write1h + (split?.ephemeral_5m_input_tokens ?? 0),
  );
  const cacheRead = usage.cache_read_input_tokens || insideRead;
  const cached = cacheRead + written;
  const told = usage.input_tokens || (usage.prompt_tokens ?? usage.input_tokens ?? null);
  const hasChatForm =
    details != null || insideRead > 0 || (!usage.input_tokens && Boolean(usage.prompt_tokens));
  const output = usage.output_tokens ?? usage.completion_tokens ?? 0;
  const isInside = cached > 0 && told !== null && (hasChatForm || usage.total_tokens === told + output);
  const isCounted = (told ?? 0) + cached > 0;
  const input = isInside ? Math.max(0, told - cached) : told;
  return { input: isCounted ? input : null, cacheRead, written, write1h, isInside };
}

/** The input of a usage object that counts what is cached in it, as this dialect has it. null: it need not be changed. */
export function inputBesideCache(sent: JsonObject): number | null {
  const parsed = MessagesUsage.safeParse(sent);
  const prompt = parsed.success ? readPrompt(parsed.data) : null;
  return prompt && (prompt.isInside || sent.input_tokens == null) ? prompt.input : null;
}

function readCounts(value: unknown, estimate: Estimate): ReportedUsage | null {
  const parsed = MessagesUsage.safeParse(value);
  if (!parsed.success) {
    return null;
  }
  const usage = parsed.data;
  const { input, cacheRead: cacheReadTokens, written, write1h: cacheWrite1hTokens } = readPrompt(usage);
  const estimated = () => estimate.output + estimate.reasoning;
  const told = usage.output_tokens || (usage.completion_tokens ?? usage.output_tokens ?? null);
  const output = told || (estimated() === 0 ? told : null);
  if (input === null && output === null) {
    return null;
  }
  const outputTokens = output ?? estimated();
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
