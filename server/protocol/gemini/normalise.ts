import { atOnce } from "@/server/base/turns";
import { isJsonObject, type JsonObject, objects, textOf } from "../fields";
import { finishKind } from "../finish";
import { printText } from "../json/print";
import type { Stop } from "../pivot/answer";
import { isBlankArguments, readArguments } from "../tools/call-arguments";
import { countParts, countSaid, type SaidTokens } from "../usage/estimate";
import { asCamelCase } from "./names";
import { usualCounts } from "./usage";

/** Some vendors send numbers instead of names: those of `Candidate.FinishReason` in Google's v1beta. */
const numbers = [
  ...["", "STOP", "MAX_TOKENS", "SAFETY", "RECITATION", "OTHER", "LANGUAGE", "BLOCKLIST"],
  ...["PROHIBITED_CONTENT", "SPII", "MALFORMED_FUNCTION_CALL", "IMAGE_SAFETY", "UNEXPECTED_TOOL_CALL"],
  ...["TOO_MANY_TOOL_CALLS", "IMAGE_PROHIBITED_CONTENT", "IMAGE_OTHER", "NO_IMAGE", "IMAGE_RECITATION"],
];

/** Why a candidate ended. "": it has not ended. */
export function finishOf(candidate: JsonObject): string {
  const { finishReason: reason } = candidate;
  return typeof reason === "number" ? (numbers[reason] ?? "OTHER") : textOf(reason).toUpperCase();
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
  if (args === undefined) {
    return call;
  }
  // Some languages print an empty object as a list.
  const isNothing =
    typeof args === "string" ? isBlankArguments(args) : Array.isArray(args) && args.length === 0;
  const read = typeof args === "string" ? atOnce(readArguments(args)) : null;
  return { ...call, args: isNothing ? {} : (read ?? args) };
}

function readPart(source: JsonObject): JsonObject {
  const { thought, ...rest } = withoutNulls(asCamelCase(source));
  const part: JsonObject = {
    ...rest,
    ...(thought !== undefined && { thought: thought === "true" || thought }),
  };
  return isJsonObject(part.functionCall) ? { ...part, functionCall: readCall(part.functionCall) } : part;
}

/** Whether a part is a piece of a call. The gateway never asks for pieces, and their arguments would be lost. */
export const isPiece = ({ functionCall: call }: JsonObject): boolean =>
  isJsonObject(call) &&
  (call.partialArgs !== undefined || call.willContinue === true || Object.keys(call).length === 0);

/** A call without a name belongs to the only tool, if there is one. */
const namedPart = (part: JsonObject, soleName: string): JsonObject =>
  isJsonObject(part.functionCall) && !isPiece(part) && textOf(part.functionCall.name) === ""
    ? { ...part, functionCall: { ...part.functionCall, name: soleName } }
    : part;

/** Names the calls of a response that have no name. `soleName`: of the only tool that they can mean. */
export function nameCalls(response: JsonObject, soleName: string | null): JsonObject {
  const isNamed = soleName === null || !candidatesOf(response).some((each) => partsOf(each).some(isHalfCall));
  if (isNamed) {
    return response;
  }
  const candidates = candidatesOf(response).map((candidate) =>
    isJsonObject(candidate.content)
      ? {
          ...candidate,
          content: {
            ...candidate.content,
            parts: partsOf(candidate).map((part) => namedPart(part, soleName)),
          },
        }
      : candidate,
  );
  return { ...response, candidates };
}

/** Whether a part is a call without a name, or with arguments that are no object, such as those that were cut off. */
function isHalfCall(part: JsonObject): boolean {
  const { functionCall: call } = part;
  return (
    isJsonObject(call) &&
    !isPiece(part) &&
    (textOf(call.name) === "" || (call.args !== undefined && !isJsonObject(call.args)))
  );
}

/** Whether a response has half a call. */
export const hasHalfCall = (response: JsonObject): boolean =>
  candidatesOf(response).some((candidate) => partsOf(candidate).some(isHalfCall));

/** Whether an answer was cut off or refused, maybe in the middle of a call. */
export const isCutShort = (response: JsonObject): boolean =>
  isBlocked(response) ||
  candidatesOf(response).some((candidate) =>
    ["length", "refusal"].includes(finishKind(finishOf(candidate)) ?? ""),
  );

/** A content's parts; some vendors send one without the list around it, or only the text. */
const partsIn = (parts: unknown): JsonObject[] =>
  objects(
    (Array.isArray(parts) ? (parts as unknown[]) : [parts]).map((part) =>
      typeof part === "string" ? { text: part } : part,
    ),
  );

/** A candidate's content; some vendors send its text in its place. */
const contentIn = (content: unknown, text: unknown): unknown =>
  typeof (content ?? text) === "string" ? { parts: [{ text: content ?? text }] } : content;

/**
 * A candidate in the form that clients' decoders want: the reason as a name, where a vendor sends a number, and an
 * index.
 */
function readCandidate(candidate: JsonObject, place: number): JsonObject {
  const { finishReason, content: sent, text, index, ...rest } = withoutNulls(asCamelCase(candidate));
  const content = contentIn(sent, text);
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

const listIn = (value: unknown): JsonObject[] => (isJsonObject(value) ? [value] : objects(value));

/** A response or a piece of one; the members that the gateway reads are in camelCase. null: not of this dialect. */
export function readResponse(answer: unknown): JsonObject | null {
  if (!isJsonObject(answer)) {
    return null;
  }
  const response = withoutNulls(asCamelCase(answer));
  // Some vendors send it in the candidate.
  const usage = response.usageMetadata ?? listIn(response.candidates).map((each) => each.usageMetadata)[0];
  const isOne = ["candidates", "promptFeedback", "usageMetadata"].some(
    (name) => isJsonObject(response[name]) || Array.isArray(response[name]),
  );
  return isOne
    ? {
        ...response,
        ...(isJsonObject(usage) && { usageMetadata: usualCounts(withoutNulls(usage)) }),
        ...(isJsonObject(response.promptFeedback) && {
          promptFeedback: asCamelCase(response.promptFeedback),
        }),
        ...(response.candidates !== undefined && {
          candidates: listIn(response.candidates).map(readCandidate),
        }),
      }
    : null;
}

/** A whole response whose only candidate has the number 0, whatever number its vendor gave it. */
export function numbered(response: JsonObject): JsonObject {
  const [only, ...others] = candidatesOf(response);
  return only !== undefined && others.length === 0 && only.index !== 0
    ? { ...response, candidates: [{ ...only, index: 0 }] }
    : response;
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
