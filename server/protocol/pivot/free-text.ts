/**
 * Custom tools, whose input is free text. For a dialect without them, each becomes a function with one text argument.
 */
import { slicesOf } from "@/server/base/slices";
import { isJsonObject, type JsonObject, textOf } from "../fields";

/** The parameters of that function. */
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

/** Adds the grammar of the input to the description, for a model that cannot be bound to a grammar. */
export const freeTextDescription = (description: string, format: JsonObject): string =>
  [description, grammarText(format)].filter((part) => part !== "").join("\n\n");

/** The start of arguments whose first member, or only one, is the input. The input's text follows. */
const BEGINS = /^\s*\{\s*"input"\s*:\s*"/;
/** If the input has not started after so many characters, it is not at the start. */
const MAX_BEGINNING = 256;

/** The position of the quote that ends a string which started before this text, outside any escape; -1: none. */
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

/** The position of an escape that is incomplete at the end; the text's length if there is none. */
function wholeOf(text: string): number {
  const unicode = /u[\da-f]{0,3}$/i.exec(text.slice(-4))?.[0].length ?? 0;
  const place = text.length - unicode;
  if (backslashesBefore(text, place) % 2 === 1) {
    return place - 1;
  }
  return backslashesBefore(text, text.length) % 2 === 1 ? text.length - 1 : text.length;
}

/** Decodes a piece of a string. Returns invalid JSON unchanged. */
function decode(piece: string): string {
  try {
    return JSON.parse(`"${piece}"`) as string;
  } catch {
    return piece;
  }
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;

/** Extracts the input of a custom tool from the arguments of the function that replaces it, as they arrive. */
export class FreeText {
  /** The input so far. */
  content = "";
  #state: "before" | "inside" | "behind" | "other" = "before";
  /** Before the input: all text so far. Within it: the incomplete escape or half character at the end. */
  #held = "";
  #half = "";

  /** Reads more of the arguments and returns the new part of the input. */
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

  /** Returns the rest when the arguments are complete: the whole input if it was not at their start. */
  rest(): string {
    const rest = this.#state === "before" || this.#state === "other" ? inputOf(this.#held) : this.#half;
    this.#state = "behind";
    this.#half = "";
    this.content += rest;
    return rest;
  }

  #inside(): string {
    const held = this.#held;
    const end = endIn(held);
    const whole = end === -1 ? wholeOf(held) : end;
    this.#held = end === -1 ? held.slice(whole) : "";
    this.#state = end === -1 ? "inside" : "behind";
    const read = this.#half + decode(held.slice(0, whole));
    // The other half comes with the next text: clients join texts of whole characters.
    const isHalf = end === -1 && isHighSurrogate(read.charCodeAt(read.length - 1));
    this.#half = isHalf ? read.slice(-1) : "";
    const text = isHalf ? read.slice(0, -1) : read;
    this.content += text;
    return text;
  }
}

/** The input at any place in the arguments; without one, the arguments themselves. */
function inputOf(args: string): string {
  try {
    const { input } = JSON.parse(args) as JsonObject;
    return typeof input === "string" ? input : args;
  } catch {
    return args;
  }
}

/** The input in complete arguments. Yields, so that long work can pause. */
export function* freeTextOf(args: string): Generator<void, string> {
  const text = new FreeText();
  for (const slice of slicesOf(args)) {
    text.read(slice);
    yield;
  }
  text.rest();
  return text.content;
}
