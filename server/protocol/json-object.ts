import { details } from "@/server/base/details";
import { GatewayError } from "@/server/base/errors";
import type { Texts } from "@/server/base/language";
import type { JsonObject } from "./fields";

/** The first 400 of spec section 7 that all POST endpoints share. */
export function requireModel(fields: JsonObject): void {
  if (fields.model === undefined || fields.model === null || fields.model === "") {
    throw new GatewayError("missingModel");
  }
}

type ParseFailure = { issues: readonly { path: readonly PropertyKey[] }[] };

/** The 400 for the first field that a schema refused, in the words of `explanations`. */
export function explainFailure(error: ParseFailure, explanations: Record<string, Texts>): GatewayError {
  const field = String(error.issues[0]?.path[0]);
  return new GatewayError(
    "invalidParameters",
    (Object.hasOwn(explanations, field) && explanations[field]) || details.invalid(field),
  );
}

/**
 * Whether a value is an array of such items. Stops at the first that is not, where a schema would collect them all.
 */
export const isListOf =
  <Item>(isItem: (item: unknown) => item is Item) =>
  (value: unknown): value is Item[] =>
    Array.isArray(value) && value.every(isItem);
