/** Limits for answers so long that their processing would block other calls. */
import type { LongText } from "@/server/base/slices";
import { isJsonObject } from "../fields";
import { MOST_PRINTED_LEVELS } from "../json/print";
import type { ReaderRules } from "../json/reader";
import type { LongTexts } from "../json/scanner";
import { parseInTurns } from "../json/turns";

/** The limit of an answer: one of 64 MB with token probabilities, which are most of its values, has no more. */
const MAX_VALUES = 8_000_000;
/** The limit of an event, which has a quarter of the size. */
const MAX_EVENT_VALUES = 2_000_000;

/**
 * The limit of choices, blocks, items and calls: a thousand times those of any answer. Each costs as much as a hundred
 * values.
 */
const MAX_PARTS = 10_000;

/**
 * The members that hold these parts, in all dialects, and the members around them. None of them holds token
 * probabilities.
 */
const LISTS = ["choices", "candidates", "output", "content", "parts", "tool_calls"];
const AROUND = ["response", "message", "delta", "content"];
const MAX_DEPTH = 5;

function hasTooManyParts(answer: unknown): boolean {
  let left = MAX_PARTS;
  const isTooMuch = (value: unknown, depth: number): boolean => {
    if (!isJsonObject(value) || depth > MAX_DEPTH) {
      return false;
    }
    const lists = LISTS.map((name) => value[name]).filter(Array.isArray);
    left -= lists.reduce((sum, { length }) => sum + length, 0);
    return (
      left < 0 ||
      [...lists.flat(), ...AROUND.map((name) => value[name])].some((child) => isTooMuch(child, depth + 1))
    );
  };
  return isTooMuch(answer, 0);
}

function* parseBounded(
  text: LongText,
  limits: Partial<Pick<ReaderRules, "mostValues" | "mostLevels" | "longTexts">>,
): Generator<void, unknown> {
  const answer = yield* parseInTurns(text, limits);
  if (hasTooManyParts(answer)) {
    throw new SyntaxError("an answer of too many parts");
  }
  return answer;
}

/** As `parseInTurns`, for an answer. Throws SyntaxError also above the limits. */
export const parseLongAnswer = (
  text: LongText,
  longTexts: LongTexts | null = null,
): Generator<void, unknown> => parseBounded(text, { mostValues: MAX_VALUES, longTexts });

/**
 * As `parseLongAnswer`, for an event of a stream. Throws SyntaxError also for one that is nested too deep to print: it is
 * written in parts, and the client would have the first of them.
 */
export const parseLongEvent = (text: LongText): Generator<void, unknown> =>
  parseBounded(text, { mostValues: MAX_EVENT_VALUES, mostLevels: MOST_PRINTED_LEVELS });
