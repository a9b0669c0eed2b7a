import { inArray, sql } from "drizzle-orm";
import { type Db, tables, transaction } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { announce } from "./announce";
import { listeningAccounts } from "./listening";
import {
  type At,
  levels,
  type ReachedThreshold,
  reachedCaps,
  reachedLimits,
  reachedMonths,
} from "./quota-thresholds";

const { reachedShares } = tables;

/** Announces each level once over all replicas; of several new levels only the highest. */
async function tellOnce(db: Db, now: Date, reached: ReachedThreshold): Promise<void> {
  const { accountId, period, subject, percent, type, data } = reached;
  await transaction(db, async (tx) => {
    const passed = levels.filter((level) => level <= percent);
    const fresh = await ormOf(tx)
      .insert(reachedShares)
      .values(passed.map((level) => ({ accountId, period, subject, percent: level })))
      .onConflictDoNothing()
      .returning({ percent: reachedShares.percent });
    if (fresh.some((row) => row.percent === percent)) {
      await announce(tx, { type, accountId, at: now, data: { period, percent, ...data } });
    }
  });
}

/** Announces the levels of months, keys' caps and daily limits that were reached since the last look. */
export async function tellThresholds(db: Db, at: At): Promise<void> {
  const accountIds = await listeningAccounts(db, [
    "quota.threshold",
    "key.cap_threshold",
    "daily_limit.threshold",
  ]);
  if (accountIds?.length === 0) {
    return;
  }
  const reached = [
    ...(await reachedMonths(db, at, accountIds)),
    ...(await reachedCaps(db, at, accountIds)),
    ...(await reachedLimits(db, at, accountIds)),
  ];
  const name = sql`account_id || ' ' || period || ' ' || subject || ' ' || percent`.mapWith(String);
  const rows = await ormOf(db)
    .select({ name })
    .from(reachedShares)
    .where(inArray(reachedShares.period, [at.period, ...new Set(reached.map(({ period }) => period))]));
  const names = new Set(rows.map((row) => row.name));
  for (const threshold of reached) {
    if (!names.has(`${threshold.accountId} ${threshold.period} ${threshold.subject} ${threshold.percent}`)) {
      await tellOnce(db, at.now, threshold);
    }
  }
}
