/** What a model gives a tool that it calls: an object, as JSON in a text. */
import { parseExact } from "./exact-numbers";
import { isJsonObject, type JsonObject } from "./fields";
import { createInnerReader } from "./json-text";
import { MAX_AT_ONCE_CHARACTERS } from "./json-turns";
import type { Block, CallBlock, Turn } from "./pivot/conversation";

/** The engine would read a long text with all of its values, however many they are. */
function* parse(text: string): Generator<void, unknown> {
  return text.length > MAX_AT_ONCE_CHARACTERS ? yield* createInnerReader()(text) : parseExact(text);
}

/**
 * The object, all numbers with their digits, in steps between which the work may rest. null: it is none, or has more values
 * than a client could send back.
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
 * Reads the arguments of a history's calls as objects, in steps between which the work may rest. Arguments that are no
 * object, such as those of a call that was cut off, stand in one. Their values are counted together, as a body's own are.
 * Throws invalidParameters.
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

/** Nothing, and some vendors' `null`, stand for an object without members. */
const NOTHING = /^\s*(?:null\s*)?$/;

/** Whether an upstream's arguments can be read. */
export function* isObjectText(text: string): Generator<void, boolean> {
  return NOTHING.test(text) || (yield* readArguments(text)) !== null;
}
