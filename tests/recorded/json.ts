import type { Fields } from "./corpus";

/** Values of JSON that nobody has looked at; what is not there, or something else, is empty. */
export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const fields = (value: unknown): Fields => (isFields(value) ? value : {});
export const list = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isFields) : []);
export const string = (value: unknown): string => (typeof value === "string" ? value : "");
