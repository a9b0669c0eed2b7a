import { isDeepStrictEqual } from "node:util";

/** A thing as people see it. Money is a decimal string. */
export type View = Readonly<Record<string, unknown>>;

/** Names of secrets. Views never have them; if one slips into a view, it still does not reach the table. */
const SECRET = /^(secrets?|password|.*hash|credentials?|.*totp_?secret|recovery_?codes)$/i;

/**
 * Converts a view to JSON: moments in ISO form, no secrets at any depth. A bigint throws, because its unit would be
 * lost.
 */
function plain(view: View): Record<string, unknown> {
  return JSON.parse(
    JSON.stringify(view, (name, value: unknown) =>
      // A count or a flag about a secret reveals nothing.
      SECRET.test(name) && typeof value !== "number" && typeof value !== "boolean" ? undefined : value,
    ),
  );
}

const without = (view: Record<string, unknown>, other: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(view).filter(
      ([name, value]) => !(Object.hasOwn(other, name) && isDeepStrictEqual(value, other[name])),
    ),
  );

/**
 * Returns both sides with only the members that differ; a side that does not exist (a creation, a removal) stays null.
 */
export function difference(
  before: View | null,
  after: View | null,
): { before: Record<string, unknown> | null; after: Record<string, unknown> | null } {
  const [was, is] = [before && plain(before), after && plain(after)];
  return { before: was && without(was, is ?? {}), after: is && without(is, was ?? {}) };
}
