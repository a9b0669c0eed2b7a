import { GatewayError } from "@/server/base/errors";
import { atOnce } from "@/server/base/turns";
import { mayLoseDigits } from "./exact-numbers";
import type { JsonObject } from "./fields";
import { JsonReader, type JsonText } from "./json-reader";

export type { JsonText } from "./json-reader";

/** A request body: parsed, or its text. */
export type JsonSource = string | JsonText;

/**
 * Parses the JSON object of a request body. Throws the 400s for anything else, and for an object that is built to
 * overload or to mislead.
 */
export const readJsonText = (source: JsonSource): JsonText =>
  typeof source === "string" ? atOnce(new JsonReader(source).read()) : source;

/** The text of a body. */
export const rawOf = (source: JsonSource): string => (typeof source === "string" ? source : source.raw);

/** As `readJsonText`. Yields, so that long work can pause. */
export const readJsonInSteps = (raw: string): Generator<void, JsonText> => new JsonReader(raw).read();

/** A member of a body with the exact digits of its numbers, for a member that the gateway changes and sends on. */
export function asWritten(
  { raw, fields, members }: Pick<JsonText, "raw" | "fields" | "members">,
  key: string,
): unknown {
  const member = members.findLast((entry) => entry.key === key);
  const text = member && raw.slice(member.valueStart, member.valueEnd);
  return text !== undefined && mayLoseDigits(text)
    ? atOnce(new JsonReader(`{"a":${text}}`, { isTheirs: true }).read()).fields.a
    : fields[key];
}

/**
 * Reads texts inside a body that are JSON objects themselves; null for other texts. Yields. Counts the values of all
 * texts together, with the limit of a body, which they could otherwise evade. Throws invalidParameters.
 */
export function createInnerReader(): (text: string) => Generator<void, JsonObject | null> {
  let values = 0;
  return function* (text) {
    const reader = new JsonReader(text, { isTheirs: true, values });
    try {
      return (yield* reader.read()).fields;
    } catch (error) {
      if (error instanceof GatewayError && error.kind === "invalidJson") {
        return null;
      }
      throw error;
    } finally {
      values = reader.values;
    }
  };
}
