/** The arguments that a model gives a tool: an object, as JSON text. */

import { isJsonObject, type JsonObject } from "../fields";
import { parseExact } from "../json/exact-numbers";
import { createInnerReader } from "../json/text";
import { MAX_AT_ONCE_CHARACTERS } from "../json/turns";
import type { Block, CallBlock, Turn } from "../pivot/conversation";
import { ArgumentsScan } from "./arguments-scan";

/** Parses long text in steps: the engine would read all of its values at once, however many they are. */
function* parse(text: string): Generator<void, unknown> {
  return text.length > MAX_AT_ONCE_CHARACTERS ? yield* createInnerReader()(text) : parseExact(text);
}

/**
 * Returns the arguments as an object; numbers keep all digits. Yields, so that long work can pause. null: the text is
 * no object, or has more values than a client could send back.
 */
export function* readArguments(text: string): Generator<void, JsonObject | null> {
  try {
    const value = yield* parse(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

/**
 * Reads the arguments of a history's calls as objects. Yields, so that long work can pause. Arguments that are no
 * object, such as those of a call that was cut off, are wrapped in one. Their values are counted together, as a body's
 * own are. Throws invalidParameters.
 */
export function* readInputs(turns: readonly Turn[]): Generator<void, Map<CallBlock, JsonObject>> {
  const read = createInnerReader();
  const inputs = new Map<CallBlock, JsonObject>();
  for (const block of turns.flatMap(({ blocks }): Block[] => blocks)) {
    if (block.type === "call") {
      const { arguments: text } = block;
      inputs.set(block, text.trim() === "" ? {} : ((yield* read(text)) ?? { _raw: text }));
      yield;
    }
  }
  return inputs;
}

/** Blank text, and some vendors' `null`, mean an object without members. */
const NOTHING = /^\s*(?:null\s*)?$/;

export const isBlankArguments = (text: string): boolean => NOTHING.test(text);

const EMPTY = /^\s*(?:(?:null|\{\s*\})\s*)?$/;

/** Whether arguments are blank or an empty object, with which some vendors begin a call before its arguments. */
export const isEmptyArguments = (text: string): boolean => EMPTY.test(text);

/**
 * Whether arguments begin as an object whose end is missing. Other text that is no object stays as the model wrote it:
 * clients of dialects with arguments as text check it themselves.
 */
export function* isCutOff(text: string): Generator<void, boolean> {
  if (yield* isObjectText(text)) {
    return false;
  }
  const scan = new ArgumentsScan();
  scan.read(text);
  return scan.state === "inside";
}

/** Whether an upstream's arguments can be read as an object. */
export function* isObjectText(text: string): Generator<void, boolean> {
  return isBlankArguments(text) || (yield* readArguments(text)) !== null;
}
