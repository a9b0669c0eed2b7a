import { countTokens } from "../estimate";
import { isJsonObject, type JsonObject, objects, textOf } from "../fields";
import type { Stop } from "../pivot/answer";
import { asCamelCase } from "./names";

/** Some vendors write the numbers of Google's list. */
const numbers = ["", "STOP", "MAX_TOKENS", "SAFETY", "RECITATION", "OTHER"];

/** Ends for which an answer was held back, or a part of it. */
const REFUSED = /SAFETY|RECITATION|BLOCKLIST|PROHIBITED_CONTENT|SPII|LANGUAGE/;

/** Why a candidate ended. "": it goes on. */
export function finishOf(candidate: JsonObject): string {
  const { finishReason: reason } = candidate;
  return typeof reason === "number" ? (numbers[reason] ?? "OTHER") : textOf(reason);
}

export function stopOf(finish: string): Stop {
  if (finish === "MAX_TOKENS") {
    return { reason: "length", sequence: null };
  }
  return { reason: REFUSED.test(finish) ? "refusal" : "end", sequence: null };
}

/** A call was begun, and nobody can make it. */
export const isBrokenCall = (finish: string): boolean => finish === "MALFORMED_FUNCTION_CALL";

/** A response, or a piece of one, in Google's first spelling as far as it is read. null: none of this dialect. */
export function readResponse(sent: unknown): JsonObject | null {
  if (!isJsonObject(sent)) {
    return null;
  }
  const response = asCamelCase(sent);
  const isOne = ["candidates", "promptFeedback", "usageMetadata"].some(
    (name) => isJsonObject(response[name]) || Array.isArray(response[name]),
  );
  return isOne
    ? {
        ...response,
        ...(Array.isArray(response.candidates) && {
          candidates: objects(response.candidates).map(asCamelCase),
        }),
      }
    : null;
}

export const candidatesOf = (response: JsonObject): JsonObject[] => objects(response.candidates);

/** The one that goes to clients of other dialects. */
export const firstOf = (response: JsonObject): JsonObject | null => {
  const candidates = candidatesOf(response);
  return candidates.find(({ index }) => (index ?? 0) === 0) ?? null;
};

export const partsOf = (candidate: JsonObject): JsonObject[] => {
  const { content } = candidate;
  return isJsonObject(content) ? objects(content.parts).map(asCamelCase) : [];
};

/** Nothing of the prompt was answered, for what it says. */
export function isBlocked({ promptFeedback }: JsonObject): boolean {
  return isJsonObject(promptFeedback) && textOf(asCamelCase(promptFeedback).blockReason) !== "";
}

/** Tokens of what candidates say, as fractions. */
export function countSaid(response: JsonObject): { output: number; reasoning: number } {
  const counts = { output: 0, reasoning: 0 };
  for (const part of candidatesOf(response).flatMap(partsOf)) {
    const { functionCall: call } = part;
    counts[part.thought === true ? "reasoning" : "output"] += countTokens(textOf(part.text));
    counts.output += isJsonObject(call)
      ? countTokens(textOf(call.name) + JSON.stringify(call.args ?? {}))
      : 0;
  }
  return counts;
}
