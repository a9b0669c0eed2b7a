import { errorMessages } from "@/server/base/error-messages";
import { GatewayError } from "@/server/base/errors";
import type { JsonObject } from "../fields";

const toCamel = (name: string): string =>
  name.replace(/(?<=[a-z0-9])_([a-z0-9])/g, (_all, letter: string) => letter.toUpperCase());

/**
 * An object's own members in camelCase (`maxOutputTokens`); Google also accepts snake_case (`max_output_tokens`).
 * Throws invalidParameters for a member in both spellings: nothing says which one counts.
 */
export function inCamelCase(fields: JsonObject): JsonObject {
  return renamed(fields, (name) => {
    throw new GatewayError("invalidParameters", errorMessages.inBothSpellings(name.slice(0, 64)));
  });
}

/** The same for an upstream's answer; if it has both spellings, the last one counts. */
export const asCamelCase = (fields: JsonObject): JsonObject => renamed(fields, () => {});

function renamed(fields: JsonObject, onRepeated: (name: string) => void): JsonObject {
  if (!Object.keys(fields).some((name) => name.includes("_"))) {
    return fields;
  }
  const named = new Map<string, unknown>();
  for (const [field, value] of Object.entries(fields)) {
    const name = toCamel(field);
    if (named.has(name)) {
      onRepeated(name);
    }
    named.set(name, value);
  }
  return Object.fromEntries(named);
}
