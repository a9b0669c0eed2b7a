import { lowestId } from "@/server/base/ids";
import type { Db } from "@/server/db";
import { sqlOf } from "@/server/db/handles";

/**
 * What became of the calls of a while. Where there were too many to count, these are the newest of them: `isPartial`.
 */
export type CallSummary = { calls: number; failed: number; isPartial: boolean };

/** Some 50 ms of reading. */
const MOST_CALLS = 100_000;

/** Counts the calls that began at or after `from`, and those of them that failed for whatever reason. */
export async function summariseCalls(db: Db, { from }: { from: Date }): Promise<CallSummary> {
  const sql = sqlOf(db);
  const [counted] = await sql<{ calls: number; failed: number }[]>`
    select count(*)::int as calls, count(error)::int as failed from (
      select error from calls where request_id >= ${lowestId("req", from)}
      order by request_id desc limit ${MOST_CALLS}
    ) as newest`;
  const { calls, failed } = counted ?? { calls: 0, failed: 0 };
  return { calls, failed, isPartial: calls === MOST_CALLS };
}
