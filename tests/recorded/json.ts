import type { JsonObject } from "./corpus";

/** Values of JSON that nobody has looked at; what is not there, or something else, is empty. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const fields = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});
export const list = (value: unknown): JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];
export const string = (value: unknown): string => (typeof value === "string" ? value : "");
