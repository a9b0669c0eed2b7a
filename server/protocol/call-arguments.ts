/** What a model gives a tool that it calls: an object, as JSON in a text. */
import { parseExact } from "./exact-numbers";
import { isJsonObject, type JsonObject } from "./fields";
import { createInnerReader } from "./json-text";
import { MAX_AT_ONCE_CHARACTERS } from "./json-turns";

/** The engine would read a long text with all of its values, however many they are. */
const parse = (text: string): unknown =>
  text.length > MAX_AT_ONCE_CHARACTERS ? createInnerReader()(text) : parseExact(text);

/** The object, all numbers with their digits. null: it is none, or has more values than a client could send back. */
export function readArguments(text: string): JsonObject | null {
  try {
    const value = parse(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** Nothing, and some vendors' `null`, stand for an object without members. */
const NOTHING = /^\s*(?:null\s*)?$/;

/** Whether an upstream's arguments can be read. */
export const isObjectText = (text: string): boolean => NOTHING.test(text) || readArguments(text) !== null;
