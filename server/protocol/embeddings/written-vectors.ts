/**
 * The vectors of an answer as their vendor wrote them: to parse and to print millions of numbers costs five times as much
 * as to check them.
 */
import { isJsonObject } from "../fields";

/**
 * The text of an answer, with `[null,0]`, `[null,1]` and so on in place of its vectors, which are no vectors of any vendor.
 * `vectors`: their texts, with brackets.
 */
export type WrittenVectors = { rest: string; vectors: string[] };

const NAME = '"embedding"';
/** The beginning of a member that holds a vector. The object's type, which is the same word, has no colon. */
const OPENING = /"embedding"[ \t\n\r]{0,99}:[ \t\n\r]{0,99}\[[ \t\n\r]{0,99}/y;
/** Numbers that are finite, and a bounded number of them, because the engine remembers each one of a match. */
const NUMBERS =
  /[ \t\n\r]{0,99}-?(?:0|[1-9]\d{0,20})(?:\.\d{1,40})?(?:[eE](?:-\d{1,3}|\+?\d{1,2}))?(?:[ \t\n\r]{0,99},[ \t\n\r]{0,99}-?(?:0|[1-9]\d{0,20})(?:\.\d{1,40})?(?:[eE](?:-\d{1,3}|\+?\d{1,2}))?){0,255}[ \t\n\r]{0,99}/y;

/** The position after a match, or -1. */
function after(pattern: RegExp, text: string, place: number): number {
  pattern.lastIndex = place;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

/** Takes the vectors out of an answer's text. Yields, so that long work can pause. null: they must be parsed. */
export function* takeVectors(text: string): Generator<void, WrittenVectors | null> {
  const vectors: string[] = [];
  let rest = "";
  let copied = 0;
  for (let found = text.indexOf(NAME); found !== -1; found = text.indexOf(NAME, found + 1)) {
    const start = text[found - 1] === "\\" ? -1 : after(OPENING, text, found);
    if (start === -1) {
      continue;
    }
    let place = start;
    do {
      place = after(NUMBERS, text, text[place] === "," ? place + 1 : place);
      yield;
    } while (place !== -1 && text[place] === ",");
    if (place === -1 || text[place] !== "]") {
      return null;
    }
    rest += `${text.slice(copied, start)}null,${vectors.length}`;
    vectors.push(`[${text.slice(start, place)}]`);
    copied = place;
    found = place;
  }
  return vectors.length === 0 ? null : { rest: rest + text.slice(copied), vectors };
}

/** The number of a vector that was taken out, from what stands in its place. null: it is another value. */
export const placeOf = (embedding: unknown): number | null =>
  Array.isArray(embedding) && embedding[0] === null && typeof embedding[1] === "number" ? embedding[1] : null;

/** Whether each vector that was taken out is that of one item, in order. Otherwise the answer has others, too. */
export const areItems = (answer: unknown, { vectors }: WrittenVectors): boolean =>
  isJsonObject(answer) &&
  Array.isArray(answer.data) &&
  answer.data.length === vectors.length &&
  answer.data.every((item: unknown, index) => isJsonObject(item) && placeOf(item.embedding) === index);
