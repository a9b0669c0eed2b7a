import type { z } from "zod";

/** Parses a body; null if it is no JSON or does not fit the schema. */
export function readJson<T>(text: string | null, schema: z.ZodType<T>): T | null {
  if (text === null) {
    return null;
  }
  try {
    return schema.safeParse(JSON.parse(text)).data ?? null;
  } catch (error) {
    if (error instanceof SyntaxError) {
      return null;
    }
    throw error;
  }
}
