/** Halves of characters, which clients leave where they cut a text by its length; most vendors refuse them. */

const BACKSLASH = 92;
const LOWER_U = 117;
const ESCAPE_LENGTH = 6;
/** As long as what it stands in place of. */
const INSTEAD = Buffer.from("\\ufffd");

/** The value of a hexadecimal digit; -1 for another character, and for none. */
function digit(code = 0): number {
  if (code >= 48 && code <= 57) {
    return code - 48;
  }
  const letter = (code | 32) - 97;
  return letter >= 0 && letter < 6 ? letter + 10 : -1;
}

/** The half of a character that an escape at this place stands for. null: it is none. */
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
 * Puts U+FFFD in place of each escape of a JSON text that is half a character, in the given bytes. It takes linear time: a
 * backslash takes the character behind it along.
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

/** Hardly any text has an escape that could be half a character. */
const MAY_HAVE_HALF = /\\u[dD][89a-fA-F]/;

/** The same for a text. */
export function withoutLoneSurrogates(text: string): string {
  if (!MAY_HAVE_HALF.test(text)) {
    return text;
  }
  const json = Buffer.from(text);
  mendSurrogates(json);
  return json.toString();
}
