/**
 * SQLSTATE classes and driver codes of a database that is away, restarting or short of a resource for a moment. 25006:
 * it is read-only, like a replica before its promotion, or a managed database with a full disk. 23514: the row waited
 * while its month got a partition, and the next attempt uses that; no table has another such constraint.
 */
const TRANSIENT =
  /^(08|53|57P0|57014|40|55P03|25006|23514|CONNECT|ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_AGAIN)/;

/**
 * Those of a database that is stopping, starting or out of reach. EHOSTUNREACH: its machine is off, and in this network;
 * ENETUNREACH: no route leads there.
 */
const LOST = /^(08|57P0|CONNECT|ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_AGAIN)/;

/** Drizzle wraps the driver's error, so causes are checked too. */
function hasCode(error: unknown, codes: RegExp): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as { code?: unknown };
    if (typeof code === "string" && codes.test(code)) {
      return true;
    }
  }
  return false;
}

/** Whether the same statement may succeed later. */
export const isTransient = (error: unknown): boolean => hasCode(error, TRANSIENT);

/** Whether a statement failed because the database cannot be reached now. */
export const isConnectionLost = (error: unknown): boolean => hasCode(error, LOST);
