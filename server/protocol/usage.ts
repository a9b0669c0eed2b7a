import { z } from "zod";
import type { UsageSource } from "@/server/base/facts";
import type { Units } from "@/server/base/units";
import type { ReasoningTokens } from "./capabilities";
import { isJsonObject, type JsonObject } from "./fields";

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

const Details = <Shape extends z.ZodRawShape>(shape: Shape) => z.object(shape).nullish().catch(null);

const ChatUsage = z.object({
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  prompt_tokens_details: Details({ cached_tokens: count, cache_write_tokens: count }),
  completion_tokens_details: Details({ reasoning_tokens: count }),
  prompt_cache_hit_tokens: count,
  cached_tokens: count,
  cache_read_input_tokens: count,
  cache_creation_input_tokens: count,
  reasoning_tokens: count,
  num_search_queries: count,
  server_tool_use: Details({ web_search_requests: count }),
});

/**
 * Counts as an upstream of the chat dialect means them: `prompt` with what is cached, `completion` with reasoning.
 * null: not said.
 */
export type ChatCounts = {
  prompt: number | null;
  cacheRead: number | null;
  cacheWrite: number | null;
  completion: number | null;
  reasoning: number | null;
  /** Of the web, which vendors bill by the call. */
  searches: number | null;
};

type Totals = { prompt: number; completion: number; cached: number; reasoning: number };

/** As much as the longest answers that vendors sell, thinking and all: nothing thinks for longer unlisted. */
export const MOST_UNLISTED = 131_072;

/**
 * Where the total is more than its halves, it tells which of them left something out: the reasoning (xAI), what was
 * cached (gateways before a messages-dialect vendor), or thinking that is listed nowhere (Gemini). A total that none
 * of these explains is no count: nobody is charged for it.
 */
function explainTotal({ prompt, completion, cached, reasoning }: Totals, total: number) {
  const excess = Math.max(0, total - prompt - completion);
  const rest = excess > MOST_UNLISTED + cached + reasoning ? 0 : excess;
  const isCached = cached > 0 && rest !== reasoning && (rest === cached || rest === cached + reasoning);
  return isCached
    ? { prompt: prompt + cached, completion: completion + rest - cached }
    : { prompt, completion: completion + rest };
}

/**
 * Reads an OpenAI-dialect usage object. null: there is none, or it says nothing. A prompt of zero is one that nobody
 * counted.
 */
function readChatCounts(value: unknown, placed: ReasoningTokens): ChatCounts | null {
  // Most events of a stream have none.
  const parsed = value === undefined || value === null ? null : ChatUsage.safeParse(value);
  if (!parsed?.success) {
    return null;
  }
  const usage = parsed.data;
  const { prompt_tokens_details: inputs, completion_tokens_details: outputs, total_tokens: total } = usage;
  const reasoning = outputs?.reasoning_tokens ?? usage.reasoning_tokens ?? null;
  // DeepSeek's name, Moonshot's and Databricks'.
  const cacheRead =
    inputs?.cached_tokens ??
    usage.prompt_cache_hit_tokens ??
    usage.cached_tokens ??
    usage.cache_read_input_tokens ??
    null;
  const cacheWrite = inputs?.cache_write_tokens ?? usage.cache_creation_input_tokens ?? null;
  const apart = placed === "separate" ? (reasoning ?? 0) : 0;
  const completion = typeof usage.completion_tokens === "number" ? usage.completion_tokens + apart : null;
  const prompt = usage.prompt_tokens || null;
  if (prompt === null && completion === null) {
    return null;
  }
  // Perplexity's name, and that of gateways before a messages-dialect vendor.
  const searches = usage.num_search_queries ?? usage.server_tool_use?.web_search_requests ?? null;
  const told = { cacheRead, cacheWrite, reasoning, searches };
  if (prompt !== null && completion !== null) {
    const cached = (cacheRead ?? 0) + (cacheWrite ?? 0);
    const halves = { prompt, completion, cached, reasoning: reasoning ?? 0 };
    return { ...told, ...explainTotal(halves, total ?? 0) };
  }
  const rest = (total ?? 0) - (prompt ?? completion ?? 0);
  const other = rest > 0 ? rest : null;
  return { ...told, prompt: prompt ?? other, completion: completion ?? other };
}

/**
 * The usage object of an answer, or of one event of a stream, and its counts: the first that counts anything of those
 * on top, in a choice, and in a vendor's corner (Groq streams no other to who did not ask for it).
 */
export function findChatUsage(
  answer: JsonObject,
  choices: JsonObject[],
  placed: ReasoningTokens,
): { sent: unknown; counts: ChatCounts | null } {
  const corner = isJsonObject(answer.x_groq) ? answer.x_groq.usage : undefined;
  const places = [answer.usage, ...choices.map((choice) => choice.usage), corner];
  for (const sent of places) {
    const counts = readChatCounts(sent, placed);
    if (counts) {
      return { sent, counts };
    }
  }
  return { sent: places.find(isJsonObject), counts: null };
}

const laterOf = (earlier: number | null | undefined, later: number | null): number | null =>
  later || (earlier ?? later);

/** Counts of a stream: the later ones stand, but what they do not say, or say as zero, undoes nothing. */
export function laterCounts(earlier: ChatCounts | null, later: ChatCounts): ChatCounts {
  return {
    prompt: laterOf(earlier?.prompt, later.prompt),
    cacheRead: laterOf(earlier?.cacheRead, later.cacheRead),
    cacheWrite: laterOf(earlier?.cacheWrite, later.cacheWrite),
    completion: laterOf(earlier?.completion, later.completion),
    reasoning: laterOf(earlier?.reasoning, later.reasoning),
    searches: laterOf(earlier?.searches, later.searches),
  };
}

/**
 * The counts to charge, `estimate` where there are none. An output of zero is one only where nothing came through.
 * null: all would be our estimate.
 */
export function reportedUsage(counts: ChatCounts | null, estimate: Estimate): ReportedUsage | null {
  const estimated = estimate.output + estimate.reasoning;
  const completion = counts?.completion || estimated === 0 ? (counts?.completion ?? null) : null;
  const told = counts?.prompt ?? null;
  if (counts === null || (told === null && completion === null)) {
    return null;
  }
  const prompt = told ?? estimate.input;
  const cacheReadTokens = Math.min(prompt, counts.cacheRead ?? 0);
  const cacheWriteTokens = Math.min(prompt - cacheReadTokens, counts.cacheWrite ?? 0);
  return {
    usage: {
      inputTokens: prompt - cacheReadTokens - cacheWriteTokens,
      cacheReadTokens,
      cacheWriteTokens,
      cacheWrite1hTokens: 0,
      outputTokens: completion ?? estimated,
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
  const details = typeof kept.completion_tokens_details === "object" ? kept.completion_tokens_details : null;
  const reasoning = readCount((details as { reasoning_tokens?: unknown } | null)?.reasoning_tokens) ?? 0;
  const isSame = Object.entries(counts).every(([name, value]) => kept[name] === value);
  if (isSame && reasoning <= usage.outputTokens) {
    return kept;
  }
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
