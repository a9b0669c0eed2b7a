/**
 * SQLSTATE classes and driver codes of a database that is away, restarting or short of a resource for a moment. 25006:
 * it is read-only, like a replica before its promotion, or a managed database with a full disk. 23514: the row waited
 * while its month got a partition, and the next attempt uses that; no table has another such constraint.
 */
const TRANSIENT =
  /^(08|53|57P0|57014|40|55P03|25006|23514|CONNECT|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN)/;

/** Whether the same statement may succeed later. Drizzle wraps the driver's error, so causes are checked too. */
export function isTransient(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as { code?: unknown };
    if (typeof code === "string" && TRANSIENT.test(code)) {
      return true;
    }
  }
  return false;
}
