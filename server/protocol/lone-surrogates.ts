/** Replaces halves of characters, which clients create when they cut a text by its length; most vendors refuse them. */

const BACKSLASH = 92;
const LOWER_U = 117;
const ESCAPE_LENGTH = 6;
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

/**
 * Replaces each JSON escape that is half a character by U+FFFD, in the given bytes. Takes linear time: after a
 * backslash it skips the next character.
 */
export function mendSurrogates(json: Uint8Array): void {
  for (let place = 0; place < json.length; place++) {
    if (json[place] !== BACKSLASH) {
      continue;
    }
    const half = halfAt(json, place);
    if (half === null) {
      place++;
    } else if (half === "high" && halfAt(json, place + ESCAPE_LENGTH) === "low") {
      place += 2 * ESCAPE_LENGTH - 1;
    } else {
      json.set(INSTEAD, place);
      place += ESCAPE_LENGTH - 1;
    }
  }
}

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
