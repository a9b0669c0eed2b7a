import { isExactNumber } from "./json/exact-numbers";

/** A JSON object whose members are unchecked. */
export type JsonObject = Record<string, unknown>;

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !isExactNumber(value);

/** The members of an array that are objects; anything else counts as empty. */
export const objects = (value: unknown): JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];

/** A value as text; "" for other types. */
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** A value as a number; null for other types. */
export const numberOf = (value: unknown): number | null => (typeof value === "number" ? value : null);

/**
 * Any JSON value as a word for a message or a name: a string unchanged, otherwise its JSON. `String` throws for an
 * object that has members named `toString` and `valueOf`.
 */
export const wordOf = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value) ?? "");

/** OpenRouter's clients ask for the cost this way, in any dialect: `usage: {"include": true}`. */
export const asksForCost = ({ usage }: JsonObject): boolean => isJsonObject(usage) && usage.include === true;
