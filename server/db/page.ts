/** Keyset pages: a list along one index, whose next page begins behind the last row of the one before. */
import { type AnyColumn, asc, desc, gt, lt, type SQL } from "drizzle-orm";
import { Refusal } from "@/server/base/refusal";

/** `cursor`: the `nextCursor` of the page before. */
export type PageQuery = { cursor?: string | undefined; limit: number };

/** The newest come first unless it says otherwise. */
export type TimePageQuery = PageQuery & { isOldestFirst?: boolean };

/** `nextCursor` null: there are no more. */
export type Page<Row> = { rows: Row[]; nextCursor: string | null };

/** The order of a list, and a row's place in it as text. */
export type Keyset<Row> = {
  orderBy: SQL[];
  cursorOf: (row: Row) => string;
  /** What comes behind a cursor. undefined: it is none of this list's. */
  behind: (cursor: string) => SQL | undefined;
};

/** No identifier begins so: a place among names is none among identifiers. */
const NAME = "=";

/** Newest first, by identifiers that are ordered in time. */
export const newestFirst = (id: AnyColumn): Keyset<{ id: string }> => ({
  orderBy: [desc(id)],
  cursorOf: (row) => row.id,
  behind: (cursor) => (cursor.startsWith(NAME) ? undefined : lt(id, cursor)),
});

/** Oldest first, likewise. */
export const oldestFirst = (id: AnyColumn): Keyset<{ id: string }> => ({
  orderBy: [asc(id)],
  cursorOf: (row) => row.id,
  behind: (cursor) => (cursor.startsWith(NAME) ? undefined : gt(id, cursor)),
});

/** By a name that no two rows have in common, in the database's collation. */
export const byName = (name: AnyColumn, isDescending: boolean): Keyset<{ name: string }> => ({
  orderBy: [isDescending ? desc(name) : asc(name)],
  cursorOf: (row) => `${NAME}${row.name}`,
  behind: (cursor) =>
    cursor.startsWith(NAME) ? (isDescending ? lt : gt)(name, cursor.slice(NAME.length)) : undefined,
});

/** Newest first, by a number that counts up. */
export const highestFirst = (id: AnyColumn): Keyset<{ id: bigint }> => ({
  orderBy: [desc(id)],
  cursorOf: (row) => row.id.toString(),
  behind: (cursor) => (/^\d{1,18}$/.test(cursor) ? lt(id, BigInt(cursor)) : undefined),
});

/** A page of what was found, when one row more than it holds was looked for: that one tells whether there is another. */
export function cutPage<Row>(found: Row[], limit: number, cursorOf: (row: Row) => string): Page<Row> {
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return { rows, nextCursor: found.length > limit && last !== undefined ? cursorOf(last) : null };
}

/** The page that is asked for; `find` selects so many rows, so ordered, behind the cursor. Throws Refusal. */
export async function findPage<Row>(
  { orderBy, cursorOf, behind }: Keyset<NoInfer<Row>>,
  { cursor, limit }: PageQuery,
  find: (slice: { behind: SQL | undefined; orderBy: SQL[]; limit: number }) => Promise<Row[]>,
): Promise<Page<Row>> {
  const place = cursor === undefined ? undefined : behind(cursor);
  if (cursor !== undefined && place === undefined) {
    throw new Refusal("this page does not exist", "pageUnknown");
  }
  return cutPage(await find({ behind: place, orderBy, limit: limit + 1 }), limit, cursorOf);
}
