import type { Database } from "@/server/db";
import { sqlOf } from "@/server/db/handles";

/** Rows that processes share, so that those which come and go leave none behind. */
const ROWS = 16;

/** A window that is over is counted from nothing, and this one never was: no call is ever counted here. */
const nameOf = (process: number) => `readiness:${process % ROWS}`;

/**
 * The smallest write that waits for the disk as a charge does, by a connection of money's. Twice, or from all
 * processes at once, is safe: it says nothing. `process`: any number that tells processes apart. Throws what the
 * database says.
 */
export async function writeDurably(db: Database, process: number): Promise<void> {
  await sqlOf(db)`
    insert into rate_limits (key, points, expire) values (${nameOf(process)}, 0, 0)
    on conflict (key) do update set points = (rate_limits.points + 1) % 1000000`;
}
