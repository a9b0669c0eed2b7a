/** SQLSTATE of what an index or a reference forbids. */
const codes = { duplicate: "23505", missing: "23503" } as const;

/** Whether an error says so. Drizzle wraps the driver's, so causes are looked at too. */
function saysOf(error: unknown, code: string): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ("code" in cause && cause.code === code) {
      return true;
    }
  }
  return false;
}

/**
 * What a statement answers. Throws `refusal` where a row with what is unique is there already (`duplicate`), or where
 * one that it refers to is not (`missing`): for what somebody else may have done since it was looked at.
 */
export async function orRefuse<T>(
  statement: PromiseLike<T>,
  violation: keyof typeof codes,
  refusal: () => Error,
): Promise<T> {
  try {
    return await statement;
  } catch (error) {
    throw saysOf(error, codes[violation]) ? refusal() : error;
  }
}
