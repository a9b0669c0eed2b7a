import { count, desc, gte } from "drizzle-orm";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { lowestId } from "@/server/domain/ids";

const { calls } = tables;

/** Calls and failures of a period. `isPartial`: there were too many to count, so these are the newest. */
export type CallSummary = { calls: number; failed: number; isPartial: boolean };

/** Some 50 ms of reading. */
const MOST_CALLS = 100_000;

/** Counts the calls that began at or after `from`, and those that failed for any reason. */
export async function summariseCalls(db: Db, { from }: { from: Date }): Promise<CallSummary> {
  const newest = ormOf(db)
    .select({ error: calls.error })
    .from(calls)
    .where(gte(calls.requestId, lowestId("req", from)))
    .orderBy(desc(calls.requestId))
    .limit(MOST_CALLS)
    .as("newest");
  const [counted] = await ormOf(db)
    .select({ calls: count(), failed: count(newest.error) })
    .from(newest);
  const summary = counted ?? { calls: 0, failed: 0 };
  return { ...summary, isPartial: summary.calls === MOST_CALLS };
}
