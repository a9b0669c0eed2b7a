/** Keyset pages: a list along one index, whose next page begins after the last row of the previous one. */
import { type AnyColumn, asc, desc, gt, lt, type SQL } from "drizzle-orm";
import { Refusal } from "@/server/domain/refusal";

/** `cursor`: the `nextCursor` of the previous page. */
export type PageQuery = { cursor?: string | undefined; limit: number };

/** Newest first, unless `isOldestFirst` is set. */
export type TimePageQuery = PageQuery & { isOldestFirst?: boolean };

/** `nextCursor` null: the last page. */
export type Page<Row> = { rows: Row[]; nextCursor: string | null };

/** The order of a list, and the text of a row's place in it. */
export type Keyset<Row> = {
  orderBy: SQL[];
  cursorOf: (row: Row) => string;
  /** The condition for rows after a cursor. undefined: not a cursor of this list. */
  behind: (cursor: string) => SQL | undefined;
};

/** No identifier begins with this, so a place among names is never taken for one among identifiers. */
const NAME = "=";

/** Newest first, by identifiers that are ordered in time. */
export const newestFirst = (id: AnyColumn): Keyset<{ id: string }> => ({
  orderBy: [desc(id)],
  cursorOf: (row) => row.id,
  behind: (cursor) => (cursor.startsWith(NAME) ? undefined : lt(id, cursor)),
});

/** Oldest first, by identifiers that are ordered in time. */
export const oldestFirst = (id: AnyColumn): Keyset<{ id: string }> => ({
  orderBy: [asc(id)],
  cursorOf: (row) => row.id,
  behind: (cursor) => (cursor.startsWith(NAME) ? undefined : gt(id, cursor)),
});

/** By a unique name, in the database's collation. */
export const byName = (name: AnyColumn, isDescending: boolean): Keyset<{ name: string }> => ({
  orderBy: [isDescending ? desc(name) : asc(name)],
  cursorOf: (row) => `${NAME}${row.name}`,
  behind: (cursor) =>
    cursor.startsWith(NAME) ? (isDescending ? lt : gt)(name, cursor.slice(NAME.length)) : undefined,
});

/** Newest first, by an ascending number. */
export const highestFirst = (id: AnyColumn): Keyset<{ id: bigint }> => ({
  orderBy: [desc(id)],
  cursorOf: (row) => row.id.toString(),
  behind: (cursor) => (/^\d{1,18}$/.test(cursor) ? lt(id, BigInt(cursor)) : undefined),
});

/**
 * Cuts a page from the rows found. The query looked for one row more than a page holds, which shows whether there is a
 * next page.
 */
export function cutPage<Row>(allRows: Row[], limit: number, cursorOf: (row: Row) => string): Page<Row> {
  const rows = allRows.slice(0, limit);
  const last = rows.at(-1);
  return { rows, nextCursor: allRows.length > limit && last !== undefined ? cursorOf(last) : null };
}

/** Returns the requested page; `find` selects that many rows after the cursor, in that order. Throws Refusal. */
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
