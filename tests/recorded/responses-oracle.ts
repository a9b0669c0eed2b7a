/** Reads a recording in the Responses dialect without any of the server's code. */
import { blame } from "./chat-oracle";
import type { JsonObject, Recording } from "./corpus";
import { type AnswerContent, type Crossed, markedCalls } from "./crossed-oracle";
import { malformed, type RefusalEnvelope, refusedAs } from "./envelope";
import { fields, list, string } from "./json";
import { eventsOf } from "./messages-events";
import { at, count, type RecordedUsage } from "./usage";

export type ResponsesReading =
  /** The whole response, as a JSON answer would have it. */
  | { kind: "answer"; response: JsonObject; usage: RecordedUsage | null }
  | { kind: "refused"; refused: RefusalEnvelope };

/** The events of a recorded stream. */
export const eventsIn = ({ body }: Recording): JsonObject[] =>
  eventsOf(body.toString("utf8").replace(/^data: *\[DONE\]\s*$/m, ""));

/** null: a prompt of zero means that the vendor did not count. */
const readUsage = (usage: JsonObject): RecordedUsage | null =>
  usage.input_tokens === 0
    ? null
    : {
        prompt: count(usage.input_tokens),
        cacheRead: count(at(usage, "input_tokens_details", "cached_tokens")),
        cacheWrite: count(at(usage, "input_tokens_details", "cache_write_tokens")),
        cacheWrite1h: 0,
        completion: count(usage.output_tokens),
        reasoning: count(at(usage, "output_tokens_details", "reasoning_tokens")),
      };

/** The response of the last event, with the items of earlier events if it has fewer. */
function foldResponse(events: JsonObject[]): JsonObject {
  const last = fields(events.findLast((event) => event.response !== undefined)?.response);
  const done = events.flatMap(({ type, item }) =>
    type === "response.output_item.done" ? [fields(item)] : [],
  );
  return { ...last, output: list(last.output).length < done.length ? done : list(last.output) };
}

const limited = new Set(["insufficient_quota", "rate_limit_exceeded"]);

export function readResponses(recording: Recording): ResponsesReading {
  const { status, exchange } = recording;
  const refusal = (code: number, words: unknown): ResponsesReading => ({
    kind: "refused",
    refused: refusedAs(blame(code), string(words)),
  });
  if (status >= 400) {
    return refusal(status, at(JSON.parse(recording.body.toString("utf8")), "error", "message"));
  }
  if (!exchange.stream) {
    const response = fields(JSON.parse(recording.body.toString("utf8")));
    return response.status === "queued"
      ? { kind: "refused", refused: malformed }
      : { kind: "answer", response, usage: readUsage(fields(response.usage)) };
  }
  const events = eventsIn(recording);
  const failed = fields(events.find(({ type }) => type === "error")?.error);
  if (failed.message !== undefined) {
    return refusal(limited.has(string(failed.code)) ? 429 : 500, failed.message);
  }
  const response = foldResponse(events);
  return { kind: "answer", response, usage: readUsage(fields(response.usage)) };
}

const isCall = ({ type }: JsonObject) => type === "function_call" || type === "custom_tool_call";

function thinkingIn(item: JsonObject): string {
  const texts = (parts: unknown) => list(parts).flatMap(({ text }) => (text ? [string(text)] : []));
  const summary = texts(item.summary);
  return (summary.length > 0 ? summary : texts(item.content)).join("\n\n");
}

/**
 * A dialect's words for the end of an answer. `hasRefusals`: a refusal is a separate text there; `marksCalls`: thinking
 * is stored under the identifiers of its calls.
 */
type EndingWords = Record<"calls" | "end" | "length" | "refusal", string> &
  Record<"hasRefusals" | "marksCalls", boolean>;

/** The arguments of a call that was cut off are no JSON. */
function inputOf(text: string): unknown {
  try {
    return JSON.parse(text || "{}");
  } catch {
    return text;
  }
}

const callOf = (item: JsonObject) =>
  isCall(item)
    ? {
        id: string(item.call_id),
        name: string(item.name),
        input: item.type === "custom_tool_call" ? { input: item.input } : inputOf(string(item.arguments)),
      }
    : null;

function says(response: JsonObject, words: EndingWords): AnswerContent {
  const output = list(response.output);
  const parts = output.filter(({ type }) => type === "message").flatMap(({ content }) => list(content));
  const isSealed = ({ type, encrypted_content: sealed }: JsonObject) =>
    words.marksCalls && type === "reasoning" && string(sealed) !== "";
  const tools = markedCalls(output, { isSealed, callOf });
  const isRefused = parts.some(({ type }) => type === "refusal");
  const answered = tools.length > 0 ? words.calls : words.end;
  const ended = isRefused ? words.refusal : answered;
  const isFiltered = at(response, "incomplete_details", "reason") === "content_filter";
  const cut = isFiltered ? words.refusal : words.length;
  return {
    text: parts.map((part) => string(part.text || (words.hasRefusals ? "" : part.refusal))).join(""),
    thinking: output
      .filter(({ type }) => type === "reasoning")
      .map(thinkingIn)
      .join(""),
    tools,
    stop: response.status === "incomplete" ? cut : ended,
    signed: [],
  };
}

const wordsOf: Record<"chat" | "messages", EndingWords> = {
  chat: {
    calls: "tool_calls",
    end: "stop",
    length: "length",
    refusal: "content_filter",
    hasRefusals: true,
    marksCalls: true,
  },
  messages: {
    calls: "tool_use",
    end: "end_turn",
    length: "max_tokens",
    refusal: "refusal",
    hasRefusals: false,
    marksCalls: false,
  },
};

/** A recorded response as a client of another dialect reads it, without the results of the vendor's own tools. */
export const crossedResponse = (reading: ResponsesReading, dialect: "chat" | "messages"): Crossed =>
  reading.kind === "refused"
    ? reading
    : { kind: "answer", content: says(reading.response, wordsOf[dialect]), usage: reading.usage };
