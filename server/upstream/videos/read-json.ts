import type { z } from "zod";

/** What a body says, or null when it is no JSON or not of this form. */
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
