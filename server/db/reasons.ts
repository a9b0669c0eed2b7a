/** The code of a database error, and its meaning for operators. */

/** By the beginning of the SQLSTATE. The first match counts. */
const REASONS: [RegExp, string][] = [
  [/^25006/, "it is read-only, as a standby is or one with default_transaction_read_only"],
  [/^(53100|58030)/, "its disk is full or fails"],
  [/^53300/, "it has no connection left (max_connections)"],
  [/^53/, "it is short of memory or another resource"],
  [/^28/, "it refuses this user or password"],
  [/^3D000/, "there is no such database"],
  [/^42501/, "this user may not do it"],
  [/^57P0[123]/, "it is starting or stopping"],
  [/^57014/, "it took too long"],
  [/^08P01/, "the pooler in between refuses it"],
];

/** Limits, logins, a database that does not exist, and permissions: only a server that runs checks them. */
const OF_LIVING = /^(53|28|3D000|42501)/;

/** The SQLSTATE, or the code of the driver or the system, of an error or one of its causes; null: none. */
export function errorCode(error: unknown): string | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as { code?: unknown };
    if (typeof code === "string") {
      return code;
    }
  }
  return null;
}

/** The reason in words, with the code. Never the error's own message, which may quote private data. null: unknown. */
export function findReason(error: unknown): string | null {
  const code = errorCode(error) ?? "";
  const reason = REASONS.find(([codes]) => codes.test(code))?.[1];
  return reason === undefined ? null : `${reason} (${code})`;
}

/** As `findReason`; for an unknown error a general reason. */
export function reasonOf(error: unknown): string {
  const code = errorCode(error) ?? "";
  return findReason(error) ?? (/^[0-9A-Z]{5}$/.test(code) ? `SQLSTATE ${code}` : "it cannot be reached");
}

/**
 * Whether a server that runs refuses with this error. A pooler answers for a dead server as well (class 08), and a server
 * that starts or stops serves nothing (57P0x).
 */
export const isRefusalOfLiving = (error: unknown): boolean => OF_LIVING.test(errorCode(error) ?? "");
