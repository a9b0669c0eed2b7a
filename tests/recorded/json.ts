import type { JsonObject } from "./corpus";

/** Values of JSON that nobody has looked at; what is not there, or something else, is empty. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const fields = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});
export const list = (value: unknown): JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];
export const string = (value: unknown): string => (typeof value === "string" ? value : "");

/**
 * A recorded object without what the operator of a gateway paid, which its clients are not told: by the names that
 * OpenRouter, xAI, Vercel's, Pydantic's and GitHub's gateways have for it, at any depth. For objects in which no model
 * speaks.
 */
export const unpriced = (value: unknown): unknown => {
  if (Array.isArray(value)) {
    return value.map(unpriced);
  }
  return isJsonObject(value)
    ? Object.fromEntries(
        Object.entries(value)
          .filter(([name]) => !/cost|byok/i.test(name))
          .map(([name, member]) => [name, unpriced(member)]),
      )
    : value;
};
