/** SQLSTATE of a violated unique index or foreign key. */
const codes = { duplicate: "23505", missing: "23503" } as const;

/** Whether an error has this code. Drizzle wraps the driver's error, so causes are checked, too. */
function saysOf(error: unknown, code: string): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ("code" in cause && cause.code === code) {
      return true;
    }
  }
  return false;
}

/** Whether a statement was refused because a row with the same unique value exists already. */
export const isDuplicate = (error: unknown): boolean => saysOf(error, codes.duplicate);

/**
 * Returns a statement's result. Throws `refusal` if a row with the same unique value exists already (`duplicate`), or
 * if a referenced row does not exist (`missing`): another session may have changed either since it was checked.
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
