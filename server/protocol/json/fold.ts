/**
 * A large body without the middle of its long texts: a prompt of one long document, a picture in base64. The rest is
 * short, and is read as any other body. The long texts stay bytes: they are checked, counted from samples, and
 * forwarded as they came.
 */
import { isAscii, isUtf8 } from "node:buffer";
import {
  backslashAfter,
  ESCAPE_LENGTH,
  hasControl,
  quoteAfter,
  startOfCharacter,
  startOfRest,
} from "./bytes";
import { mendAt, mendInSteps } from "./lone-surrogates";

/** A longer text is folded. */
const LONG_TEXT = 64 * 1024;
/** The bytes that remain of the first long texts, and of all others: by the first ones, calls of a conversation are known. */
const KEPT_OF_FIRST = 32 * 1024;
const FIRST_TEXTS = 8;
const KEPT_OF_OTHERS = 4 * 1024;

/** The most that remains of a body: to read it takes some 5 ms. */
const MAX_TEXT = 2 * 1024 * 1024;
/** The most bytes outside texts, and the most texts: ten times those of a long conversation. */
const MAX_STRUCTURE = 96 * 1024;
const MAX_STRINGS = 10_000;
/** The most escapes of long texts: a bound for work on a body that is not paid for yet. */
const MAX_ESCAPES = 500_000;

const [QUOTE, LOWER_U] = [34, 117];
/** Bytes that native code looks at between two pauses: a millisecond. */
const BYTES_PER_STEP = 4 * 1024 * 1024;

/** Positions in the body: of the text between its quotes, and from where it is left out. */
export type LongText = { start: number; cut: number; end: number };

/** `text`: what remains, one character for each byte. `longTexts`: in order. */
export type FoldedJson = { bytes: Buffer; text: string; longTexts: LongText[]; isAscii: boolean };

/** Whether the bytes are ASCII, or other text. null: neither. */
function* encodingIn(bytes: Buffer): Generator<void, "ascii" | "utf8" | null> {
  let encoding: "ascii" | "utf8" = "ascii";
  for (let from = 0; from < bytes.length; ) {
    const end = from + BYTES_PER_STEP;
    const to = end < bytes.length ? startOfCharacter(bytes, end) : bytes.length;
    const piece = bytes.subarray(from, to);
    if (!isAscii(piece)) {
      if (!isUtf8(piece)) {
        return null;
      }
      encoding = "utf8";
    }
    from = to;
    yield;
  }
  return encoding;
}

const SIMPLE = new Set([...'"\\/bfnrt'].map((letter) => letter.charCodeAt(0)));

const isHex = (code = 0): boolean => (code >= 48 && code <= 57) || ((code | 32) >= 97 && (code | 32) <= 102);

/** Whether an escape is one. */
function isEscape(bytes: Buffer, place: number): boolean {
  const code = bytes[place + 1] as number;
  if (code !== LOWER_U) {
    return SIMPLE.has(code);
  }
  for (let at = 2; at < ESCAPE_LENGTH; at++) {
    if (!isHex(bytes[place + at])) {
      return false;
    }
  }
  return true;
}

/** Bytes that are checked between two pauses: half a millisecond. */
const CHECKED_PER_STEP = 256 * 1024;

/**
 * Checks the bytes between two quotes, and replaces halves of characters. Returns the number of escapes. Yields, so that
 * long work can pause. -1: they are no JSON text, or have more than `most` escapes.
 */
function* checkText(
  bytes: Buffer,
  { start, end }: Omit<LongText, "cut">,
  most: number,
): Generator<void, number> {
  let escapes = 0;
  let next = backslashAfter(bytes, start, end);
  for (let from = start; from < end; from += CHECKED_PER_STEP) {
    const to = Math.min(end, from + CHECKED_PER_STEP);
    if (hasControl(bytes, from, to)) {
      return -1;
    }
    while (next < to) {
      if (!isEscape(bytes, next) || ++escapes > most) {
        return -1;
      }
      next = backslashAfter(bytes, mendAt(bytes, next), end);
    }
    yield;
  }
  return escapes;
}

/** Finds the long texts. null: the rest of the body is too long to fold, or it is no JSON. */
function* findLongTexts(bytes: Buffer): Generator<void, LongText[] | null> {
  const found: LongText[] = [];
  let structure = 0;
  let escapes = 0;
  let left = 0;
  let pausedAt = 0;
  for (let place = 0, strings = 0; ; strings++) {
    const from = place;
    while (place < bytes.length && bytes[place] !== QUOTE && place - from <= MAX_STRUCTURE) {
      place++;
    }
    structure += place - from;
    if (structure > MAX_STRUCTURE || strings > MAX_STRINGS) {
      return null;
    }
    if (place >= bytes.length) {
      return found;
    }
    const start = place + 1;
    const end = quoteAfter(bytes, start);
    if (end === -1) {
      return null;
    }
    if (end - start > LONG_TEXT) {
      const more = yield* checkText(bytes, { start, end }, MAX_ESCAPES - escapes);
      if (more === -1) {
        return null;
      }
      escapes += more;
      const kept = found.length < FIRST_TEXTS ? KEPT_OF_FIRST : KEPT_OF_OTHERS;
      const cut = startOfRest(bytes, start + kept, start);
      found.push({ start, cut, end });
      left += end - cut;
    }
    place = end + 1;
    if (place - left > MAX_TEXT) {
      return null;
    }
    if (place - pausedAt > BYTES_PER_STEP) {
      pausedAt = place;
      yield;
    }
  }
}

/**
 * Folds a body, and replaces halves of characters in it. Yields, so that long work can pause. null: the body is no such
 * body, or invalid.
 */
export function* foldInSteps(bytes: Buffer): Generator<void, FoldedJson | null> {
  const longTexts = yield* findLongTexts(bytes);
  const encoding = longTexts && (yield* encodingIn(bytes));
  if (longTexts === null || encoding === null) {
    return null;
  }
  let text = "";
  let place = 0;
  for (const { start, cut, end } of longTexts) {
    yield* mendInSteps(bytes, place, start);
    text += bytes.toString("latin1", place, cut);
    place = end;
  }
  yield* mendInSteps(bytes, place);
  text += bytes.toString("latin1", place);
  return { bytes, text, longTexts, isAscii: encoding === "ascii" };
}

/** The position in the bytes of a position in the remaining text, outside long texts. */
export function positionIn({ longTexts }: Pick<FoldedJson, "longTexts">, place: number): number {
  let position = place;
  for (const { cut, end } of longTexts) {
    if (position <= cut) {
      break;
    }
    position += end - cut;
  }
  return position;
}
