import { atOnce } from "@/server/base/turns";
import { isJsonObject, type JsonObject, objects, textOf } from "../fields";
import { finishKind } from "../finish";
import { printText } from "../json/print";
import type { Stop } from "../pivot/answer";
import { readArguments } from "../tools/call-arguments";
import { countParts, countSaid, type SaidTokens } from "../usage/estimate";
import { asCamelCase } from "./names";

/** Some vendors send numbers instead of names: those of `Candidate.FinishReason` in Google's v1beta. */
const numbers = [
  ...["", "STOP", "MAX_TOKENS", "SAFETY", "RECITATION", "OTHER", "LANGUAGE", "BLOCKLIST"],
  ...["PROHIBITED_CONTENT", "SPII", "MALFORMED_FUNCTION_CALL", "IMAGE_SAFETY", "UNEXPECTED_TOOL_CALL"],
  ...["TOO_MANY_TOOL_CALLS", "IMAGE_PROHIBITED_CONTENT", "IMAGE_OTHER", "NO_IMAGE", "IMAGE_RECITATION"],
];

/** Why a candidate ended. "": it has not ended. */
export function finishOf(candidate: JsonObject): string {
  const { finishReason: reason } = candidate;
  return typeof reason === "number" ? (numbers[reason] ?? "OTHER") : textOf(reason);
}

/** The stop in other dialects. null: they have no word for it, or the vendor broke off. */
export function stopOf(finish: string): Stop | null {
  const kind = finishKind(finish) ?? "end";
  if (kind === "failure" || kind === "unknown") {
    return null;
  }
  return { reason: kind === "calls" || kind === "stop_sequence" ? "end" : kind, sequence: null };
}

/** Removes nulls: Google leaves out empty members, and its decoders know no null. */
const withoutNulls = (fields: JsonObject): JsonObject =>
  Object.values(fields).some((value) => value === null)
    ? Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
    : fields;

/** Some vendors send the arguments as text, or under the other dialects' name; returns the call with the object. */
function readCall(source: JsonObject): JsonObject {
  const { arguments: named, ...call } = withoutNulls(source);
  const args = call.args ?? named;
  const read = typeof args === "string" ? atOnce(readArguments(args)) : null;
  return args === undefined ? call : { ...call, args: read ?? args };
}

function readPart(source: JsonObject): JsonObject {
  const part = withoutNulls(asCamelCase(source));
  return isJsonObject(part.functionCall) ? { ...part, functionCall: readCall(part.functionCall) } : part;
}

/** A content's parts; some vendors send one without the list around it. */
const partsIn = (parts: unknown): JsonObject[] => (isJsonObject(parts) ? [parts] : objects(parts));

/**
 * A candidate in the form that clients' decoders want: the reason as a name, where a vendor sends a number, and an
 * index.
 */
function readCandidate(candidate: JsonObject, place: number): JsonObject {
  const { finishReason, content, index, ...rest } = withoutNulls(asCamelCase(candidate));
  const finish = finishOf({ finishReason });
  const whole = isJsonObject(content) ? withoutNulls(content) : null;
  const parts = whole?.parts === undefined ? {} : { parts: partsIn(whole.parts).map(readPart) };
  return {
    ...(whole && { content: { ...whole, ...parts, role: textOf(whole.role) || "model" } }),
    ...(finish !== "" && { finishReason: finish }),
    index: Number.isInteger(index) ? index : place,
    ...rest,
  };
}

/** A response or a piece of one; the members that the gateway reads are in camelCase. null: not of this dialect. */
export function readResponse(answer: unknown): JsonObject | null {
  if (!isJsonObject(answer)) {
    return null;
  }
  // The error is empty here, and clients take an empty object for a failure.
  const { error: _empty, ...response } = withoutNulls(asCamelCase(answer));
  const isOne = ["candidates", "promptFeedback", "usageMetadata"].some(
    (name) => isJsonObject(response[name]) || Array.isArray(response[name]),
  );
  return isOne
    ? {
        ...response,
        ...(isJsonObject(response.usageMetadata) && { usageMetadata: withoutNulls(response.usageMetadata) }),
        ...(isJsonObject(response.promptFeedback) && {
          promptFeedback: asCamelCase(response.promptFeedback),
        }),
        ...(Array.isArray(response.candidates) && {
          candidates: objects(response.candidates).map(readCandidate),
        }),
      }
    : null;
}

export const candidatesOf = (response: JsonObject): JsonObject[] => objects(response.candidates);

/** The candidate that goes to clients of other dialects. */
export const firstOf = (response: JsonObject): JsonObject | null => {
  const candidates = candidatesOf(response);
  return candidates.find(({ index }) => (index ?? 0) === 0) ?? null;
};

export const partsOf = (candidate: JsonObject): JsonObject[] => {
  const { content } = candidate;
  return isJsonObject(content) ? objects(content.parts).map(asCamelCase) : [];
};

/** Whether the vendor refused the whole prompt because of its content. */
export function isBlocked({ promptFeedback }: JsonObject): boolean {
  return isJsonObject(promptFeedback) && finishKind(asCamelCase(promptFeedback).blockReason) !== null;
}

function* countPart({ text, thought, functionCall: call }: JsonObject): Generator<void, SaidTokens> {
  const textTokens = countSaid(textOf(text));
  const args = isJsonObject(call) ? (call.args ?? {}) : "";
  const argsText = typeof args === "object" ? yield* printText(args) : JSON.stringify(args);
  const output = isJsonObject(call) ? countSaid(textOf(call.name) + argsText) : 0;
  return thought === true ? { output, reasoning: textTokens } : { output: textTokens + output, reasoning: 0 };
}

/** Tokens of candidates' content. Yields, so that long work can pause. */
export const countResponse = (response: JsonObject): Generator<void, SaidTokens> =>
  countParts(candidatesOf(response).flatMap(partsOf), countPart);
