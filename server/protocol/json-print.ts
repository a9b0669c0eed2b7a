import { slicesOf } from "@/server/base/slices";
import { restsBehind } from "@/server/base/turns";
import { isExactNumber } from "./exact-numbers";
import { isJsonObject, type JsonObject } from "./fields";

/** Values and characters printed between two pauses: well below a millisecond. */
const VALUES_PER_STEP = 1_000;
const CHARACTERS_PER_STEP = 256 * 1024;
/** Deeper than any model or tool nests. Each piece passes through one call per level above it. */
const MAX_DEPTH = 1_000;

type Member = readonly [name: string, value: unknown];

/** The members of a list or an object, in order. For a list of millions it builds no list of names. */
function* membersOf(value: object): Generator<Member> {
  if (Array.isArray(value)) {
    for (const item of value) {
      yield ["", item];
    }
  } else {
    yield* Object.entries(value);
  }
}

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

/** A text in quotes, in pieces. No piece ends within a character. */
function* piecesOfText(text: string): Generator<string> {
  yield '"';
  for (const slice of slicesOf(text, CHARACTERS_PER_STEP)) {
    yield JSON.stringify(slice).slice(1, -1);
  }
  yield '"';
}

/** Prints members in one step, without the brackets around them. "": no member has a printable value. */
const printed = (members: Member[], isList: boolean): string =>
  JSON.stringify(isList ? members.map(([, value]) => value) : Object.fromEntries(members)).slice(1, -1);

function* piecesOf(value: unknown, depth: number): Generator<string> {
  if (depth > MAX_DEPTH) {
    throw new RangeError(`nested more than ${MAX_DEPTH} levels deep`);
  }
  if (typeof value === "string") {
    yield* piecesOfText(value);
    return;
  }
  if ((!Array.isArray(value) && !isJsonObject(value)) || isShort(value)) {
    yield JSON.stringify(value);
    return;
  }
  const isList = Array.isArray(value);
  let budget = new Budget();
  let step: Member[] = [];
  let comma = "";
  yield isList ? "[" : "{";
  for (const member of membersOf(value)) {
    if (budget.takes(member[1])) {
      step.push(member);
      continue;
    }
    const before = printed(step, isList);
    if (before !== "") {
      yield comma + before;
      comma = ",";
    }
    budget = new Budget();
    step = budget.takes(member[1]) ? [member] : [];
    if (step.length === 0) {
      const [name, large] = member;
      yield comma + (isList ? "" : `${JSON.stringify(name)}:`);
      comma = ",";
      yield* piecesOf(large, depth + 1);
      budget = new Budget();
    }
  }
  const last = printed(step, isList);
  yield (last === "" ? "" : comma + last) + (isList ? "]" : "}");
}

/** Prints the JSON of an object in short pieces. Throws RangeError if it is nested too deep to print. */
export const printedParts = (value: object): Generator<string> => piecesOf(value, 0);

/**
 * A text in pieces: to join the pieces of a long one takes a step too long. `bytes`: the size of all of them in UTF-8.
 */
export type PrintedJson = { pieces: string[]; bytes: number };

/**
 * Prints an object as `JSON.stringify` does. Yields, so that long work can pause: the engine's own printer would block
 * other calls too long for a text of 50 MB. null: the object is nested too deep to print.
 */
export function* printInSteps(value: object): Generator<void, PrintedJson | null> {
  const printed: PrintedJson = { pieces: [], bytes: 0 };
  let next = "";
  const endPiece = () => {
    printed.pieces.push(next);
    printed.bytes += Buffer.byteLength(next);
    next = "";
  };
  try {
    for (const part of piecesOf(value, 0)) {
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
