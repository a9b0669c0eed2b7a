/** The usage object of the chat dialect (spec 2.2), under all names that vendors have for its counts. */
import type { ReasoningTokens } from "../capabilities";
import { isJsonObject, type JsonObject } from "../fields";
import { withSnakeNames } from "./snake-names";
import { tierOf } from "./standard-terms";
import { type ChatCounts, hasCounts, MOST_UNLISTED, readCount, type Usage } from "./usage";

const objectOf = (value: unknown): JsonObject | null => (isJsonObject(value) ? value : null);

const inputDetails = (usage: JsonObject): JsonObject | null =>
  objectOf(usage.prompt_tokens_details) ?? objectOf(usage.input_tokens_details);

const outputDetails = (usage: JsonObject): JsonObject | null =>
  objectOf(usage.completion_tokens_details) ?? objectOf(usage.output_tokens_details);

type Totals = { prompt: number; completion: number; cached: number; reasoning: number };

/**
 * A total above the sum of its halves shows that a half left something out: the reasoning (xAI), cached tokens
 * (gateways in front of a messages-dialect vendor), or unlisted thinking (Gemini). A total that none of these explains
 * is no count: the gateway does not charge it.
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
 * The tokens written to a cache, and how many of them are kept for an hour. Some vendors split them by how long the
 * cache keeps them (Anthropic's names).
 */
function readWritten(usage: JsonObject): Pick<ChatCounts, "cacheWrite" | "cacheWrite1h"> {
  const inputs = inputDetails(usage);
  const kept = objectOf(inputs?.cache_creation) ?? objectOf(usage.cache_creation);
  const cacheWrite1h = readCount(kept?.ephemeral_1h_input_tokens);
  const total =
    readCount(inputs?.cache_write_tokens) ??
    // DashScope's explicit cache.
    readCount(inputs?.cache_creation_input_tokens) ??
    readCount(inputs?.cache_creation_tokens) ??
    readCount(usage.cache_creation_input_tokens);
  const parts = kept ? (readCount(kept.ephemeral_5m_input_tokens) ?? 0) + (cacheWrite1h ?? 0) : null;
  const cacheWrite = total === null && parts === null ? null : Math.max(total ?? 0, parts ?? 0);
  return { cacheWrite, ...(cacheWrite1h !== null && { cacheWrite1h }) };
}

/**
 * The tokens read from a cache: under the dialect's own name first, then under those of DeepSeek, Moonshot, Databricks
 * and others.
 */
function readCached(usage: JsonObject): number | null {
  const inputs = inputDetails(usage);
  const named = [
    ...[inputs?.cached_tokens, inputs?.cache_read_input_tokens, inputs?.cache_read_tokens],
    ...[usage.prompt_cache_hit_tokens, usage.cached_tokens, usage.cache_read_input_tokens],
  ].map(readCount);
  return named.find((tokens) => tokens) ?? named.find((tokens) => tokens !== null) ?? null;
}

/** DeepSeek's halves of the prompt, where nothing else counts it. */
function readHalves(usage: JsonObject): number | null {
  const halves = [usage.prompt_cache_hit_tokens, usage.prompt_cache_miss_tokens].map(readCount);
  return halves.every((tokens) => tokens !== null) ? (halves[0] ?? 0) + (halves[1] ?? 0) : null;
}

/** The prompt including its cached tokens, which the messages dialect counts separately. null: unknown. */
function readPrompt(usage: JsonObject, cached: number): number | null {
  const prompt = readCount(usage.prompt_tokens);
  // The name of the Responses API, and of the messages dialect.
  const input = readCount(usage.input_tokens);
  if (prompt || !input) {
    return prompt || readHalves(usage) || null;
  }
  const besides = readCount(usage.cache_read_input_tokens) ?? readCount(usage.cache_creation_input_tokens);
  const isWhole = readCount(usage.total_tokens) === input + (readCount(usage.output_tokens) ?? 0);
  return besides !== null && !isWhole ? input + cached : input;
}

/** The counts that both OpenAI dialects have besides the prompt and the output. */
const readParts = (usage: JsonObject) => ({
  cacheRead: readCached(usage),
  ...readWritten(usage),
  reasoning: readCount(outputDetails(usage)?.reasoning_tokens) ?? readCount(usage.reasoning_tokens),
  // Perplexity's name, and that of gateways in front of a messages-dialect vendor.
  searches:
    readCount(usage.num_search_queries) ?? readCount(objectOf(usage.server_tool_use)?.web_search_requests),
});

type Halves = Pick<ChatCounts, "prompt" | "completion">;

/** The total gives a half that is missing. null: both are. */
function completeHalves({ prompt, completion }: Halves, total: number): Halves | null {
  if (prompt === null && completion === null) {
    return null;
  }
  const rest = total - (prompt ?? completion ?? 0);
  const other = rest > 0 ? rest : null;
  return { prompt: prompt ?? other, completion: completion ?? other };
}

/**
 * Reads a chat-dialect usage object. null: there is none, or it has no counts. A prompt count of zero means that the
 * vendor did not count it.
 */
function readChatCounts(usage: unknown, placed: ReasoningTokens): ChatCounts | null {
  if (!isJsonObject(usage)) {
    return null;
  }
  const parts = readParts(usage);
  const cached = (parts.cacheRead ?? 0) + (parts.cacheWrite ?? 0);
  const reasoning = parts.reasoning ?? 0;
  const output = readCount(usage.completion_tokens) ?? readCount(usage.output_tokens);
  const completion = output === null ? null : output + (placed === "separate" ? reasoning : 0);
  const prompt = readPrompt(usage, cached);
  const total = readCount(usage.total_tokens) ?? 0;
  const halves =
    prompt !== null && completion !== null
      ? explainTotal({ prompt, completion, cached, reasoning }, total)
      : completeHalves({ prompt, completion }, total);
  return halves && { ...parts, ...halves };
}

/**
 * Reads the usage object of the Responses API, whose prompt always includes cached tokens. Its output includes the
 * reasoning, unless the total shows that it does not (xAI); no other total above the sum is a count. Vendors serve both
 * dialects with one counter, so the chat dialect's names occur here, too. null and zero: as for `readChatCounts`.
 */
export function readItemCounts(sent: unknown): ChatCounts | null {
  if (!isJsonObject(sent)) {
    return null;
  }
  const usage = withSnakeNames(sent);
  const parts = readParts(usage);
  const prompt = readCount(usage.input_tokens) || readCount(usage.prompt_tokens) || readHalves(usage) || null;
  const output = readCount(usage.output_tokens) ?? readCount(usage.completion_tokens);
  const total = readCount(usage.total_tokens) ?? 0;
  const isApart = total === (prompt ?? 0) + (output ?? 0) + (parts.reasoning ?? 0);
  const completion = output !== null && prompt !== null && isApart ? output + (parts.reasoning ?? 0) : output;
  const halves = completeHalves({ prompt, completion }, total);
  return halves && { ...parts, ...halves };
}

/**
 * The usage object of an answer, or of one event of a stream, and its counts. Returns the first object that has counts:
 * at the top, in a choice or its message, or in a vendor's own member (Groq streams no other to clients that did not
 * ask for usage).
 */
export function findChatUsage(
  answer: JsonObject,
  choices: JsonObject[],
  placed: ReasoningTokens,
): { usage: unknown; counts: ChatCounts | null } {
  const corner = isJsonObject(answer.x_groq) ? answer.x_groq.usage : undefined;
  const contents = choices.map((choice) => objectOf(choice.delta) ?? objectOf(choice.message));
  const places = [answer.usage, ...[...choices, ...contents].map((holder) => holder?.usage), corner].map(
    (usage) => (isJsonObject(usage) ? withSnakeNames(usage) : usage),
  );
  // Zeros in one place may hide the counts in another.
  for (const usage of [...places.filter(hasCounts), ...places]) {
    const counts = readChatCounts(usage, placed);
    if (counts) {
      const tier = tierOf(answer.service_tier ?? (isJsonObject(usage) ? usage.service_tier : null));
      return { usage, counts: tier ? { ...counts, tier } : counts };
    }
  }
  return { usage: places.find(isJsonObject), counts: null };
}

const laterOf = (earlier: number | null | undefined, later: number | null): number | null =>
  later || (earlier ?? later);

const cacheOf = ({ cacheRead, cacheWrite, cacheWrite1h = null }: ChatCounts) => ({
  ...{ cacheRead, cacheWrite, cacheWrite1h },
});

/**
 * Merges counts of a stream: later counts replace earlier ones, but a missing or zero count replaces nothing. The cache
 * counts always come from one event: otherwise tokens first reported as written and later as read would count twice.
 */
export function laterCounts(earlier: ChatCounts | null, later: ChatCounts): ChatCounts {
  const isCached = Boolean(later.cacheRead || later.cacheWrite);
  return {
    prompt: laterOf(earlier?.prompt, later.prompt),
    ...cacheOf(isCached || earlier === null ? later : earlier),
    completion: laterOf(earlier?.completion, later.completion),
    reasoning: laterOf(earlier?.reasoning, later.reasoning),
    searches: laterOf(earlier?.searches, later.searches),
    tier: later.tier ?? earlier?.tier,
  };
}

/**
 * The OpenAI-dialect usage object of spec 2.2. Keeps the members that the upstream sent; writes only the counts that
 * were normalised or estimated.
 */
export function writeChatUsage(usage: Usage, vendorUsage?: unknown): Record<string, unknown> {
  const kept =
    typeof vendorUsage === "object" && vendorUsage !== null ? (vendorUsage as Record<string, unknown>) : {};
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
    // Only for a translated answer: a vendor of this dialect sends its own details.
    ...(!vendorUsage &&
      cached + written > 0 && {
        prompt_tokens_details: { cached_tokens: cached, cache_write_tokens: written },
      }),
    completion_tokens_details: { ...details, reasoning_tokens: usage.reasoningTokens },
  };
}
