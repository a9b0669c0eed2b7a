import type { Database } from "./client";
import { sqlOf } from "./handles";
import { errorCode } from "./reasons";

/** PostgreSQL's code for a function that this server does not have or allow. */
const UNAVAILABLE = ["42883", "42501", "0A000"];

/**
 * The timeline that a server writes to. A standby that becomes the primary begins a new one, and so does a restored
 * backup. null: the server does not tell, as Amazon Aurora, whose standbys share its disks.
 */
export async function findTimeline(db: Database): Promise<string | null> {
  try {
    const [row] = await sqlOf(db)<{ timeline: string }[]>`
      select left(pg_walfile_name(pg_current_wal_lsn()), 8) as timeline`;
    return row?.timeline ?? null;
  } catch (error) {
    if (UNAVAILABLE.includes(errorCode(error) ?? "")) {
      return null;
    }
    throw error;
  }
}
