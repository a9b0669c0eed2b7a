/** Custom tools, whose input is free text. For a dialect without them each becomes a function with one text argument. */
import { slicesOf } from "@/server/base/slices";
import { isJsonObject, type JsonObject, textOf } from "../fields";

/** A custom tool's free text as the one argument of a function. */
export const freeTextParameters = {
  type: "object",
  properties: { input: { type: "string" } },
  required: ["input"],
};

function grammarText(format: JsonObject): string {
  const grammar = isJsonObject(format.grammar) ? format.grammar : format;
  return format.type === "grammar" && typeof grammar.definition === "string"
    ? `The input has to fit this ${textOf(grammar.syntax)} grammar:\n${grammar.definition}`
    : "";
}

/** The description with the grammar of the input: a model that cannot be bound to a grammar reads it there. */
export const freeTextDescription = (description: string, format: JsonObject): string =>
  [description, grammarText(format)].filter((part) => part !== "").join("\n\n");

/** How the arguments begin, where the input is the first of them, or the only one. Behind it stands its text. */
const BEGINS = /^\s*\{\s*"input"\s*:\s*"/;
/** Arguments that have not begun so by then never will. */
const MAX_BEGINNING = 256;

/** The place of the quote that ends a string which has begun before this text, at no escape; -1: none. */
function endIn(text: string): number {
  for (let quote = text.indexOf('"'); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    if (backslashesBefore(text, quote) % 2 === 0) {
      return quote;
    }
  }
  return -1;
}

function backslashesBefore(text: string, place: number): number {
  let first = place;
  while (text[first - 1] === "\\") {
    first--;
  }
  return place - first;
}

/** Where an escape begins that has not come whole; the end of the text, where none does. */
function wholeOf(text: string): number {
  const unicode = /u[\da-f]{0,3}$/i.exec(text.slice(-4))?.[0].length ?? 0;
  const place = text.length - unicode;
  if (backslashesBefore(text, place) % 2 === 1) {
    return place - 1;
  }
  return backslashesBefore(text, text.length) % 2 === 1 ? text.length - 1 : text.length;
}

/** What a piece of a string says. One that is no JSON is what it is. */
function decode(piece: string): string {
  try {
    return JSON.parse(`"${piece}"`) as string;
  } catch {
    return piece;
  }
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;

/** The input of a custom tool, out of the arguments of the function that stood for the tool, as they come. */
export class FreeText {
  /** Of the input, so far. */
  said = "";
  #state: "before" | "inside" | "behind" | "other" = "before";
  /** Before the input all that has come, within it what cannot be said yet: half an escape, or half a character. */
  #held = "";
  #half = "";

  /** What the arguments have grown by: the part of the input that is in it. */
  read(text: string): string {
    if (this.#state === "behind") {
      return "";
    }
    this.#held += text;
    if (this.#state === "before") {
      const begin = BEGINS.exec(this.#held)?.[0].length;
      if (begin === undefined) {
        this.#state = this.#held.length > MAX_BEGINNING ? "other" : "before";
        return "";
      }
      this.#state = "inside";
      this.#held = this.#held.slice(begin);
    }
    return this.#state === "inside" ? this.#inside() : "";
  }

  /** What is left once the arguments are whole: all, where the input did not stand at their beginning. */
  rest(): string {
    const rest = this.#state === "before" || this.#state === "other" ? inputOf(this.#held) : this.#half;
    this.#state = "behind";
    this.#half = "";
    this.said += rest;
    return rest;
  }

  #inside(): string {
    const held = this.#held;
    const end = endIn(held);
    const whole = end === -1 ? wholeOf(held) : end;
    this.#held = end === -1 ? held.slice(whole) : "";
    this.#state = end === -1 ? "inside" : "behind";
    const read = this.#half + decode(held.slice(0, whole));
    // Its other half comes with what follows: clients join texts of whole characters.
    const isHalf = end === -1 && isHighSurrogate(read.charCodeAt(read.length - 1));
    this.#half = isHalf ? read.slice(-1) : "";
    const said = isHalf ? read.slice(0, -1) : read;
    this.said += said;
    return said;
  }
}

/** The input by its name, wherever it stands; the arguments themselves where it is not there. */
function inputOf(args: string): string {
  try {
    const { input } = JSON.parse(args) as JsonObject;
    return typeof input === "string" ? input : args;
  } catch {
    return args;
  }
}

/** The input, of all the arguments, in steps between which the work may rest. */
export function* freeTextOf(args: string): Generator<void, string> {
  const text = new FreeText();
  for (const slice of slicesOf(args)) {
    text.read(slice);
    yield;
  }
  text.rest();
  return text.said;
}
