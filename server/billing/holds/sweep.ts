import { type Db, inEachStatement } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import type { AccountId } from "@/server/domain/ids";
import { endOnce } from "./end-calls";
import type { HoldKey } from "./statements";

/** The sweeper's note of a release; only such a release may have a late capture after it. */
const EXPIRED = "expired";

/** Holds per statement of the sweeper, and statements per sweep. After 500,000 dead calls, the next sweep continues. */
const SWEEP_ITEMS = 500;
const SWEEP_STATEMENTS = 1_000;

/**
 * Returns the money of holds whose process is gone; only of one account if it is given. After a restart of the
 * database, leases get one more term, because processes could not renew them while it was down. `settleLeft`: charges
 * what dead processes have left on disk. Their escrows pay for it, so it comes first.
 */
export async function sweepHolds(
  db: Db,
  {
    leaseSeconds,
    accountId,
    settleLeft,
  }: { leaseSeconds: number; accountId: AccountId | undefined; settleLeft: () => Promise<void> },
): Promise<number> {
  const sql = sqlOf(db);
  let swept = 0;
  for (let statement = 0; statement < SWEEP_STATEMENTS; statement++) {
    const dead = await sql<HoldKey[]>`
      select request_id as "requestId", account_id as "accountId", period from holds
      where expires_at < now()
        and pg_postmaster_start_time() < now() - make_interval(secs => ${leaseSeconds})
        and (${accountId ?? null}::text is null or account_id = ${accountId ?? null})
      order by expires_at limit ${SWEEP_ITEMS}`;
    if (dead.length > 0) {
      await settleLeft();
    }
    const ends = dead.map((hold) => ({ ...hold, charge: null, note: EXPIRED, wasLost: true }));
    await inEachStatement(db, ends, async (together) => {
      swept += (await endOnce(db, together, "expired")).size;
    });
    if (dead.length < SWEEP_ITEMS) {
      break;
    }
  }
  return swept;
}
