import type { z } from "zod";

/**
 * A change that the state of things does not allow; the message is for the operator or owner who asked. `reason` names
 * the console's own text for it, in both languages, which `values` fill.
 */
export class Refusal extends Error {
  override readonly name = "Refusal";

  constructor(
    message: string,
    readonly reason: string | null = null,
    readonly values: Record<string, string | number> = {},
  ) {
    super(message);
  }
}

/** The value as the schema has it. Throws Refusal that names the first thing that is wrong with it. */
export function parseOrRefuse<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) {
    return parsed.data;
  }
  const [issue] = parsed.error.issues;
  throw new Refusal([issue?.path.join("."), issue?.message].filter(Boolean).join(": "));
}
