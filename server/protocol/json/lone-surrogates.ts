/** Replaces halves of characters, which clients create when they cut a text by its length; most vendors refuse them. */
import { atOnce } from "@/server/base/turns";
import { backslashAfter, ESCAPE_LENGTH } from "./bytes";

const BACKSLASH = 92;
const LOWER_U = 117;
/** The replacement has the length of an escape. */
const INSTEAD = Buffer.from("\\ufffd");

/** The value of a hexadecimal digit; -1 for any other character, or none. */
function digit(code = 0): number {
  if (code >= 48 && code <= 57) {
    return code - 48;
  }
  const letter = (code | 32) - 97;
  return letter >= 0 && letter < 6 ? letter + 10 : -1;
}

/** Which half of a character an escape at this position means. null: neither. */
function halfAt(json: Uint8Array, place: number): "high" | "low" | null {
  const isEscape = json[place] === BACKSLASH && json[place + 1] === LOWER_U;
  if (!isEscape || digit(json[place + 2]) !== 13) {
    return null;
  }
  const second = digit(json[place + 3]);
  const isWhole = digit(json[place + 4]) >= 0 && digit(json[place + 5]) >= 0;
  if (second < 8 || !isWhole) {
    return null;
  }
  return second < 12 ? "high" : "low";
}

/** Bytes between two pauses: half a millisecond. */
const BYTES_PER_STEP = 256 * 1024;

/** Replaces the escape at a position by U+FFFD if it is half a character. Returns the position after it. */
export function mendAt(json: Uint8Array, place: number): number {
  const half = halfAt(json, place);
  if (half === null) {
    return place + 2;
  }
  if (half === "high" && halfAt(json, place + ESCAPE_LENGTH) === "low") {
    return place + 2 * ESCAPE_LENGTH;
  }
  json.set(INSTEAD, place);
  return place + ESCAPE_LENGTH;
}

/**
 * Replaces each JSON escape that is half a character by U+FFFD, in the given bytes. Takes linear time: after a
 * backslash it skips the next character. Yields, so that long work can pause.
 */
export function* mendInSteps(json: Buffer, from = 0, to = json.length): Generator<void, void> {
  let pausedAt = from;
  for (let place = backslashAfter(json, from, to); place < to; place = backslashAfter(json, place, to)) {
    place = mendAt(json, place);
    if (place - pausedAt > BYTES_PER_STEP) {
      pausedAt = place;
      yield;
    }
  }
}

/** As `mendInSteps`, without pauses. */
export const mendSurrogates = (json: Uint8Array): void =>
  atOnce(mendInSteps(Buffer.from(json.buffer, json.byteOffset, json.byteLength)));

/** A quick test: hardly any text has an escape that could be half a character. */
const MAY_HAVE_HALF = /\\u[dD][89a-fA-F]/;

/** As `mendSurrogates`, for a text. */
export function withoutLoneSurrogates(text: string): string {
  if (!MAY_HAVE_HALF.test(text)) {
    return text;
  }
  const json = Buffer.from(text);
  mendSurrogates(json);
  return json.toString();
}
