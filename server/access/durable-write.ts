import type { Database } from "@/server/db";
import { sqlOf } from "@/server/db/handles";

/** Rows shared by all processes, so that short-lived processes leave no rows behind. */
const ROWS = 16;

/** The window of this row has always expired, so no call is ever counted in it. */
const nameOf = (process: number) => `readiness:${process % ROWS}`;

/**
 * The smallest write that waits for the disk as a charge does, over a connection for money. Repeating it, or running it
 * in all processes at once, is safe: the row has no meaning. `process`: any number that distinguishes processes. Throws
 * the database's error.
 */
export async function writeDurably(db: Database, process: number): Promise<void> {
  await sqlOf(db)`
    insert into rate_limits (key, points, expire) values (${nameOf(process)}, 0, 0)
    on conflict (key) do update set points = (rate_limits.points + 1) % 1000000`;
}
