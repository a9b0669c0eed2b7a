/** Halves of characters, which clients leave where they cut a text by its length; most vendors refuse them. */

const BACKSLASH = 92;
const ESCAPE = /\\u[dD]([89a-fA-F])[\da-fA-F]{2}/y;
const LOW = /\\u[dD][c-fC-F][\da-fA-F]{2}/y;
const ESCAPE_LENGTH = 6;

/** Escapes that are looked at: far above what any text is written in, and soon done. */
const MAX_ESCAPES = 100_000;

/** An odd number of backslashes before a place: what stands there is escaped itself. */
function isEscaped(text: string, place: number): boolean {
  let before = place;
  while (text.charCodeAt(before - 1) === BACKSLASH) {
    before--;
  }
  return (place - before) % 2 === 1;
}

/** The places of escapes, from one on, in any spelling; each part of the text is searched once. */
function escapesIn(text: string): (from: number) => number {
  const next = ["\\ud", "\\uD"].map((spelling) => ({ spelling, place: -1 }));
  return (from) => {
    for (const one of next) {
      if (one.place !== Number.POSITIVE_INFINITY && one.place < from) {
        const found = text.indexOf(one.spelling, from);
        one.place = found === -1 ? Number.POSITIVE_INFINITY : found;
      }
    }
    return Math.min(...next.map(({ place }) => place));
  };
}

/** JSON text with U+FFFD in place of each escape that is half a character. Without one it is the text itself. */
export function withoutLoneSurrogates(text: string): string {
  const kept: string[] = [];
  let copied = 0;
  const next = escapesIn(text);
  let place = next(0);
  for (let count = 0; Number.isFinite(place) && count < MAX_ESCAPES; count++) {
    ESCAPE.lastIndex = place;
    const [, half = ""] = ESCAPE.exec(text) ?? [];
    const isHalf = half !== "" && !isEscaped(text, place);
    LOW.lastIndex = place + ESCAPE_LENGTH;
    const isPair = isHalf && /[89abAB]/.test(half) && LOW.test(text);
    if (isHalf && !isPair) {
      kept.push(text.slice(copied, place), "\\ufffd");
      copied = place + ESCAPE_LENGTH;
    }
    place = next(place + (isPair ? 2 * ESCAPE_LENGTH : 3));
  }
  return copied === 0 ? text : kept.join("") + text.slice(copied);
}
