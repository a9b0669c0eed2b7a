/**
 * Rows that a process keeps, and reads again only if they have changed. PostgreSQL never changes a row in place: a
 * change makes another version, by another transaction (`xmin`). The key is a part of the version, because a `vacuum full`
 * moves rows to the places of others, and one transaction may have written both.
 */
import { type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import { inTurns, mapInSteps } from "@/server/base/turns";

/** A table and the columns of its key. */
export type Keyed = { table: PgTable; key: readonly PgColumn[] };

/** A row's version, such as `(12,3) 4711 a-model`. */
export const versionOf = ({ table, key }: Keyed): SQL<string> =>
  sql<string>`concat_ws(' ', ${table}.ctid, ${table}.xmin, ${sql.join([...key], sql`, `)})`;

/** All versions as one value: 10,000 take a millisecond to read. null: there are none. */
export const versionsOf = (keyed: Keyed, order: SQL): SQL<string[] | null> =>
  sql<string[] | null>`json_agg(${versionOf(keyed)} order by ${order})`;

/** Finds these versions by their places. Only for the snapshot in which they were listed. */
export const isAmong = ({ table }: Keyed, versions: string[]): SQL => {
  const places = versions.map((version) => `"${version.split(" ", 1)[0]}"`);
  return sql`${table}.ctid = any(${`{${places.join(",")}}`}::tid[])`;
};

export type Versioned<Row> = { version: string; row: Row };

/** Rows by their versions, in order. */
export type Kept<Row> = ReadonlyMap<string, Row>;

/** Rows that are read and built in one turn of the event loop: 2 to 4 ms. */
const PAGE_ROWS = 256;

/**
 * For a process that has nothing yet: on a busy machine each page waits for its turn at the database, and 120 of them
 * took longer than a call waits for a look-up.
 */
const FIRST_PAGE_ROWS = 2_048;

/** A reload has many turns, and calls have one after each. */
const TURN_MS = 2;

/** Makes something of each item of a long list, and lets other work run in between. */
export const eachInTurns = <T, U>(items: readonly T[], make: (item: T, index: number) => U): Promise<U[]> =>
  inTurns(mapInSteps(items, make), TURN_MS);

/**
 * The rows of these versions, of which `read` reads those that are not among the former ones, or of which `isSure` is
 * false.
 */
export async function keepUp<Row>(
  former: Kept<Row>,
  versions: string[],
  {
    read,
    isSure = () => true,
  }: { read: (page: string[]) => Promise<Versioned<Row>[]>; isSure?: (row: Row) => boolean },
): Promise<Kept<Row>> {
  const known = await eachInTurns(versions, (version) => former.get(version));
  const isKnown = (row: Row | undefined): row is Row => row !== undefined && isSure(row);
  const changed = versions.filter((_, index) => !isKnown(known[index]));
  const fresh = new Map<string, Row>();
  const pageRows = former.size === 0 ? FIRST_PAGE_ROWS : PAGE_ROWS;
  for (let from = 0; from < changed.length; from += pageRows) {
    for (const { version, row } of await read(changed.slice(from, from + pageRows))) {
      fresh.set(version, row);
    }
  }
  const rows = new Map<string, Row>();
  await eachInTurns(versions, (version, index) => {
    const row = fresh.get(version) ?? known[index];
    if (row !== undefined) {
      rows.set(version, row);
    }
  });
  return rows;
}
