/** Bounds on answers that are so long that what is done with them would hold others up. */
import { isJsonObject } from "./fields";
import { parseInTurns } from "./json-turns";

/** Of an answer: one of 64 MB has no more where it gives the likelihoods of its tokens, which are most of its values. */
const MAX_VALUES = 8_000_000;
/** Of an event, which has a quarter of the size. */
const MAX_EVENT_VALUES = 2_000_000;

/** Choices, blocks, items and calls: a thousand times those of any answer, and each costs as much as a hundred values. */
const MAX_PARTS = 10_000;

/** Where they stand, in all dialects, and what is around them. Likelihoods of tokens are on none of these ways. */
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
      [...lists.flat(), ...AROUND.map((name) => value[name])].some((one) => isTooMuch(one, depth + 1))
    );
  };
  return isTooMuch(answer, 0);
}

function* parseBounded(text: string, mostValues: number): Generator<void, unknown> {
  const answer = yield* parseInTurns(text, { mostValues });
  if (hasTooManyParts(answer)) {
    throw new SyntaxError("an answer of too many parts");
  }
  return answer;
}

/** As `parseInTurns`, of an answer. Throws SyntaxError also for more than anybody means. */
export const parseLongAnswer = (text: string): Generator<void, unknown> => parseBounded(text, MAX_VALUES);

/** As `parseLongAnswer`, of an event of a stream. */
export const parseLongEvent = (text: string): Generator<void, unknown> =>
  parseBounded(text, MAX_EVENT_VALUES);
