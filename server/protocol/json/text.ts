import { errorMessages } from "@/server/base/error-messages";
import { GatewayError } from "@/server/base/errors";
import { atOnce } from "@/server/base/turns";
import { isJsonObject, type JsonObject } from "../fields";
import { isCarried, mayLoseDigits } from "./exact-numbers";
import { JsonReader, type Member, type ReaderRules } from "./reader";

/** A request body: its text, its fields, and the positions of its members. `end`: the position of the closing brace. */
export type JsonText = { raw: string; fields: JsonObject; members: readonly Member[]; end: number };

/** A request body: parsed, or its text. */
export type JsonSource = string | JsonText;

/**
 * The limit of names and values in a whole body: far above any client's (a million tokens of conversation have some
 * 50,000). It bounds memory and time of all code that walks the body.
 */
const MAX_VALUES = 250_000;
const MAX_FIELDS = 1_000;
const MAX_LEVELS = 200;
/** V8 compares each longer name with all others of its length: 1,600 of them took 1.7 seconds. */
const MAX_NAME_CHARACTERS = 10_000;

export const bodyRules: ReaderRules = {
  ...{ mostValues: MAX_VALUES, areNamesValues: true, mostLevels: MAX_LEVELS, mostNames: MAX_VALUES },
  ...{ mostNameCharacters: MAX_NAME_CHARACTERS, mostMembers: MAX_FIELDS },
  ...{ allowsAmbiguousNames: false, isExact: false, isBytes: false, longTexts: null, note: null },
  // `response`: the result of a tool in the form of Google's clients.
  carries: (name, isList) => name === "response" || isCarried(name, isList),
  tooMuch: () =>
    new GatewayError(
      "invalidParameters",
      errorMessages.tooManyFields({ fields: MAX_FIELDS, values: MAX_VALUES, depth: MAX_LEVELS }),
    ),
};

/** The gateway reads none of its names. */
const theirRules: ReaderRules = { ...bodyRules, allowsAmbiguousNames: true, isExact: true, mostMembers: 0 };

/** Reads a text's single value, which must be an object. Yields. Throws invalidJson and invalidParameters. */
function* readObject(raw: string, reader: JsonReader): Generator<void, JsonText> {
  try {
    const fields = yield* reader.read();
    if (isJsonObject(fields)) {
      const { members } = reader;
      return { raw, fields, members, end: raw.lastIndexOf("}") };
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) {
      throw error;
    }
  }
  // Without the engine's error: its message would quote the body.
  throw new GatewayError("invalidJson");
}

/** As `readJsonText`. Yields, so that long work can pause. `rules`: those that differ from a body's. */
export const readJsonInSteps = (raw: string, rules?: Partial<ReaderRules>): Generator<void, JsonText> =>
  readObject(raw, new JsonReader(raw, rules ? { ...bodyRules, ...rules } : bodyRules));

/**
 * Parses the JSON object of a request body. Throws the 400s for anything else, and for an object that is built to
 * overload or to mislead.
 */
export const readJsonText = (source: JsonSource): JsonText =>
  typeof source === "string" ? atOnce(readJsonInSteps(source)) : source;

/** The text of a body. */
export const rawOf = (source: JsonSource): string => (typeof source === "string" ? source : source.raw);

/** A member of a body with the exact digits of its numbers, for a member that the gateway changes and sends on. */
export function asWritten(
  { raw, fields, members }: Pick<JsonText, "raw" | "fields" | "members">,
  key: string,
): unknown {
  const member = members.findLast((entry) => entry.key === key);
  const text = member && raw.slice(member.valueStart, member.valueEnd);
  return text !== undefined && mayLoseDigits(text)
    ? atOnce(new JsonReader(text, theirRules).read())
    : fields[key];
}

/**
 * Reads texts inside a body that are JSON objects themselves; null for other texts. Yields. Counts the values of all
 * texts together, with the limit of a body, which they could otherwise evade. Throws invalidParameters.
 */
export function createInnerReader(): (text: string) => Generator<void, JsonObject | null> {
  const count = { values: 0 };
  return (text) => readInner(text, count);
}

function* readInner(text: string, count: { values: number }): Generator<void, JsonObject | null> {
  const reader = new JsonReader(text, theirRules, count.values);
  try {
    const value = yield* reader.read();
    return isJsonObject(value) ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError) {
      return null;
    }
    throw error;
  } finally {
    count.values = reader.values;
  }
}
