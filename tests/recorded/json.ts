import type { JsonObject } from "./corpus";

/** Reads unchecked JSON: a missing value, or one of another type, is empty. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const fields = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});
export const list = (value: unknown): JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];
export const string = (value: unknown): string => (typeof value === "string" ? value : "");

/**
 * A recorded object without the price that the gateway's operator paid, which clients do not get: without the names of
 * OpenRouter, xAI and the gateways of Vercel, Pydantic and GitHub, at any depth. For objects without text of a model.
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
