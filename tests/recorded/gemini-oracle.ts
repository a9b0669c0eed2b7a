/** Reads a recording in Google's dialect without the server's code. */
import type { JsonObject, Recording } from "./corpus";
import type { AnswerContent, Crossed } from "./crossed-oracle";
import { malformed, refusedAs } from "./envelope";
import { fields, list, string } from "./json";
import type { RecordedUsage } from "./usage";

/** A member under either of Google's names for it. */
const either = (source: JsonObject, camel: string, snake: string): unknown => source[camel] ?? source[snake];

/** The responses in a recording, whole or in events. null: it is not in the dialect. */
function responsesOf({ body }: Recording): JsonObject[] | null {
  const text = body.toString("utf8");
  try {
    if (!/^\s*(?:event|data|:)/.test(text)) {
      const parsed = JSON.parse(text) as unknown;
      return Array.isArray(parsed) ? list(parsed) : [fields(parsed)];
    }
    return text
      .split(/\r?\n/)
      .filter((line) => line.startsWith("data:"))
      .map((line) => JSON.parse(line.slice("data:".length)) as JsonObject);
  } catch {
    return null;
  }
}

export const numbered: Record<string, string> = { 1: "STOP", 2: "MAX_TOKENS", 3: "SAFETY" };
const stops: Record<string, string> = { MAX_TOKENS: "length" };
const held = ["SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE", "IMAGE_SAFETY"];

function usageOf(responses: JsonObject[]): RecordedUsage | null {
  const counts: Record<string, number> = {};
  for (const response of responses) {
    const metadata = fields(either(response, "usageMetadata", "usage_metadata"));
    for (const [name, value] of Object.entries(metadata)) {
      if (typeof value === "number") {
        counts[name.replace(/_(\w)/g, (_all, letter: string) => letter.toUpperCase())] = value;
      }
    }
  }
  const { promptTokenCount: prompt, totalTokenCount: total } = counts;
  if (Object.keys(counts).length === 0) {
    return null;
  }
  const input = (prompt ?? 0) + (counts.toolUsePromptTokenCount ?? 0);
  const candidateTokens = counts.candidatesTokenCount ?? 0;
  const thoughts = counts.thoughtsTokenCount ?? 0;
  // The output includes the thoughts if the total leaves no room for them.
  const output =
    total === input + candidateTokens
      ? candidateTokens
      : Math.max(candidateTokens + thoughts, (total ?? 0) - input);
  return {
    prompt: prompt === undefined ? null : input,
    cacheRead: counts.cachedContentTokenCount ?? 0,
    cacheWrite: 0,
    cacheWrite1h: 0,
    completion: output,
    reasoning: Math.min(thoughts, output),
  };
}

export type GeminiReading = { crossed: Crossed; finish: string };

function readSaid(responses: JsonObject[]): { content: AnswerContent; finish: string } {
  const candidates = responses.flatMap((response) => list(response.candidates).slice(0, 1));
  const parts = candidates.flatMap((candidate) => list(fields(candidate.content).parts));
  const join = (isThought: boolean) =>
    parts
      .filter((part) => (part.thought === true) === isThought)
      .map((part) => string(part.text))
      .join("");
  const reasons = candidates.map((candidate) => {
    const reason = either(candidate, "finishReason", "finish_reason");
    return typeof reason === "number" ? string(numbered[reason]) : string(reason);
  });
  const finish = reasons.find((reason) => reason !== "") ?? "";
  const tools = parts
    .map((part) => fields(either(part, "functionCall", "function_call")))
    .filter(({ name }) => name !== undefined)
    .map(({ name, args }) => ({ id: null, name: string(name), input: args ?? {} }));
  const isBlocked = responses.some((response) => fields(response.promptFeedback).blockReason !== undefined);
  const isHeld = held.includes(finish) || (candidates.length === 0 && isBlocked);
  const stop = isHeld ? "content_filter" : (stops[finish] ?? "stop");
  return {
    content: { text: join(false), thinking: join(true), tools, stop, signed: [] },
    finish,
  };
}

/** `isStream`: the answer came in pieces. */
export function readGemini(recording: Recording, isStream: boolean): GeminiReading {
  const responses = responsesOf(recording);
  if (recording.status >= 400) {
    const words = string(fields(responses?.[0]?.error).message);
    // An invalid key is reported with the status of a bad request.
    const isOfKey = list(fields(responses?.[0]?.error).details).some(
      (detail) => fields(detail).reason === "API_KEY_INVALID",
    );
    const isOfCall = recording.status === 400 && !isOfKey;
    const refused = isOfCall ? refusedAs(400, words) : refusedAs(502, "");
    return { crossed: { kind: "refused", refused }, finish: "" };
  }
  const isOne = responses?.some((each) => each.candidates !== undefined || each.promptFeedback !== undefined);
  if (!responses || !isOne) {
    return { crossed: { kind: "refused", refused: malformed }, finish: "" };
  }
  const failed = responses.find((each) => each.error !== undefined);
  const { content, finish } = readSaid(responses);
  const isBlocked = responses.some((each) => each.promptFeedback !== undefined);
  if (failed || (isStream && finish === "" && !isBlocked)) {
    const words = failed ? string(fields(failed.error).message) : string(malformed.message);
    return { crossed: { kind: "broken", content, words }, finish };
  }
  return { crossed: { kind: "answer", content, usage: usageOf(responses) }, finish };
}

/** Converts a recording without `alt=sse`, an array, into the events that the gateway requests. */
export function asEvents(recording: Recording): Recording {
  const responses = responsesOf(recording) ?? [];
  const text = responses.map((each) => `data: ${JSON.stringify(each)}\r\n\r\n`).join("");
  return { ...recording, contentType: "text/event-stream", body: Buffer.from(text) };
}
