/** A JSON object whose members we have not looked at. */
export type Fields = Record<string, unknown>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The members of an array that are objects; anything else counts as empty. */
export const objects = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isFields) : []);
