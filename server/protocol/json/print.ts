import { slicesOfAll } from "@/server/base/slices";
import { restsBehind } from "@/server/base/turns";
import { isJsonObject, type JsonObject } from "../fields";
import { isExactNumber } from "./exact-numbers";
import type { LongTexts } from "./scanner";

/** Values and characters printed between two pauses: well below a millisecond. */
const VALUES_PER_STEP = 1_000;
const CHARACTERS_PER_STEP = 256 * 1024;
/** Deeper than any model or tool nests. Each piece passes through one call per level above it. */
export const MOST_PRINTED_LEVELS = 1_000;

/** The values and characters that the current step may still print. */
class Budget {
  private values = VALUES_PER_STEP;
  private characters = CHARACTERS_PER_STEP;

  /** Subtracts a value with everything below it. false: the budget is too small. */
  takes(value: unknown): boolean {
    this.values--;
    if (typeof value === "string") {
      this.characters -= value.length;
    }
    if (this.values < 0 || this.characters < 0) {
      return false;
    }
    if (typeof value !== "object" || value === null || isExactNumber(value)) {
      return true;
    }
    return Array.isArray(value) ? this.takesList(value) : this.takesObject(value as JsonObject);
  }

  private takesList(list: unknown[]): boolean {
    for (const item of list) {
      if (!this.takes(item)) {
        return false;
      }
    }
    return true;
  }

  private takesObject(object: JsonObject): boolean {
    // `Object.entries` builds a list for each member: for most bodies that takes longer than printing them.
    for (const name in object) {
      this.characters -= name.length;
      if (!this.takes(object[name])) {
        return false;
      }
    }
    return true;
  }
}

/** Whether a value fits into one step. */
export const isShort = (value: unknown): boolean => new Budget().takes(value);

/**
 * A text in quotes, in pieces. No piece ends within a character. Slices would join the pieces of a long text, which
 * takes half a millisecond for each megabyte.
 */
function* piecesOfText(text: string, longTexts: LongTexts | null): Generator<string> {
  yield '"';
  for (const slice of slicesOfAll(longTexts?.get(text) ?? text, CHARACTERS_PER_STEP)) {
    yield JSON.stringify(slice).slice(1, -1);
  }
  yield '"';
}

/** `longTexts`: the pieces of texts that need not be joined. */
type Printing = { depth: number; longTexts: LongTexts | null };

/** Prints the items of a list, or the members of an object, in short pieces. */
function* piecesInside(value: object, { depth, longTexts }: Printing): Generator<string> {
  const names = Array.isArray(value) ? null : Object.keys(value);
  const items: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  /** Prints some of them in one step, without brackets. "": none has a printable value. */
  const printed = (from: number, to: number): string => {
    const some = items.slice(from, to);
    const members = names?.slice(from, to).map((name, index) => [name, some[index]]);
    return JSON.stringify(members ? Object.fromEntries(members) : some).slice(1, -1);
  };
  let budget = new Budget();
  let from = 0;
  let comma = "";
  for (let index = 0; index < items.length; index++) {
    if (budget.takes(items[index])) {
      continue;
    }
    const before = printed(from, index);
    if (before !== "") {
      yield comma + before;
      comma = ",";
    }
    from = index;
    budget = new Budget();
    if (!budget.takes(items[index])) {
      yield comma + (names ? `${JSON.stringify(names[index])}:` : "");
      comma = ",";
      yield* piecesOf(items[index], { depth: depth + 1, longTexts });
      from = index + 1;
      budget = new Budget();
    }
  }
  const last = printed(from, items.length);
  yield last === "" ? "" : comma + last;
}

function* piecesOf(value: unknown, printing: Printing): Generator<string> {
  if (printing.depth > MOST_PRINTED_LEVELS) {
    throw new RangeError(`nested more than ${MOST_PRINTED_LEVELS} levels deep`);
  }
  if (typeof value === "string") {
    yield* piecesOfText(value, printing.longTexts);
    return;
  }
  const isList = Array.isArray(value);
  if ((!isList && !isJsonObject(value)) || isShort(value)) {
    yield JSON.stringify(value);
    return;
  }
  yield isList ? "[" : "{";
  yield* piecesInside(value, printing);
  yield isList ? "]" : "}";
}

/** Prints the JSON of an object in short pieces. Throws RangeError if it is nested too deep to print. */
export const printedParts = (value: object, longTexts: LongTexts | null = null): Generator<string> =>
  piecesOf(value, { depth: 0, longTexts });

/** As `eventFrame` or `namedEventFrame`, in short pieces. `named`: the line before the data. */
export function* eventParts(data: object, named = ""): Generator<string> {
  yield `${named}data: `;
  yield* printedParts(data);
  yield "\n\n";
}

/**
 * A text in pieces: to join the pieces of a long one takes a step too long. `bytes`: the size of all of them in UTF-8.
 */
export type PrintedJson = { pieces: string[]; bytes: number };

/**
 * Prints an object as `JSON.stringify` does. Yields, so that long work can pause: the engine's own printer would block
 * other calls too long for a text of 50 MB. null: the object is nested too deep to print.
 */
export function* printInSteps(
  value: object,
  longTexts: LongTexts | null = null,
): Generator<void, PrintedJson | null> {
  const printed: PrintedJson = { pieces: [], bytes: 0 };
  let next = "";
  const endPiece = () => {
    printed.pieces.push(next);
    printed.bytes += Buffer.byteLength(next);
    next = "";
  };
  try {
    for (const part of printedParts(value, longTexts)) {
      next += part;
      if (next.length >= CHARACTERS_PER_STEP) {
        endPiece();
      }
      yield;
    }
    endPiece();
  } catch (error) {
    if (error instanceof RangeError) {
      return null;
    }
    throw error;
  }
  return printed;
}

/** The size of a printed object in bytes of UTF-8. Yields, so that long work can pause. */
export function* sizeInSteps(value: object): Generator<void, number> {
  const printed = yield* printInSteps(value);
  return printed?.bytes ?? Buffer.byteLength(JSON.stringify(value));
}

/** Prints an object as one text. Yields. Throws RangeError. */
export function* printText(value: object): Generator<void, string> {
  const printed = yield* printInSteps(value);
  if (printed === null) {
    throw new RangeError("nested deeper than can be printed");
  }
  return printed.pieces.join("");
}

/** Prints an object or list inside a message, which becomes text. */
export type PrintInner = (value: object) => string;

/**
 * Reads messages. Yields. `innerOf`: the objects and lists of a message that become text; those of a long message are printed in
 * steps before `read` gets it. Throws RangeError.
 */
export function* readMessages<Message extends object, Read>(
  messages: readonly Message[],
  innerOf: (message: Message) => readonly unknown[],
  read: (message: Message, print: PrintInner, index: number) => Read,
): Generator<void, Read[]> {
  const made: Read[] = [];
  for (const [index, message] of messages.entries()) {
    const printed = new Map<object, string>();
    for (const value of isShort(message) ? [] : innerOf(message)) {
      if (isJsonObject(value) || Array.isArray(value)) {
        printed.set(value, yield* printText(value));
      }
    }
    made.push(read(message, (value) => printed.get(value) ?? JSON.stringify(value), index));
    if (restsBehind(index)) {
      yield;
    }
  }
  return made;
}
