import { desc, eq, sql } from "drizzle-orm";
import { type Database, type Db, listPartitions, patient, type Tx, tables, transaction } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { periodBefore } from "@/server/domain/period";
import { isOfDays } from "../verify/day-drift";
import { verifySlices } from "../verify/slices";
import { type Closing, latestClosings, linkDigest, lockChain, sumsDigest } from "./chain";

const { holds, ledgerCheckpoints, ledgerClosings, ledgerEntries } = tables;

/**
 * Why a month cannot be closed. `current`: it has not ended; `open`: calls may still be charged in it; `drift`: its
 * sums are wrong; `archived`: its entries are archived; `unknown`: there is no such month.
 */
export type NotClosed = "current" | "open" | "drift" | "archived" | "unknown";

async function hasHolds(db: Db, period: string): Promise<boolean> {
  const rows = await ormOf(db)
    .select({ id: holds.requestId })
    .from(holds)
    .where(eq(holds.period, period))
    .limit(1);
  return rows.length > 0;
}

async function hasDrift(db: Db, period: string): Promise<boolean> {
  for await (const { drift } of verifySlices(db, { periods: [period] })) {
    if (!drift.every(isOfDays)) {
      return true;
    }
  }
  return false;
}

/** Replaces the stored sums of a month by the present sums of its entries. */
async function sumUp(tx: Tx, period: string): Promise<void> {
  await ormOf(tx).delete(ledgerCheckpoints).where(eq(ledgerCheckpoints.period, period));
  await ormOf(tx).execute(sql`
    insert into ${ledgerCheckpoints} (account_id, period, kind, key_id, model_id, entries, amount, over_hold)
    select account_id, period, kind, coalesce(key_id, ''), coalesce(model_id, ''), count(*), sum(amount),
      sum(case when kind = 'capture' then greatest(amount - held, 0) else 0 end)
    from ${ledgerEntries} where ${ledgerEntries.period} = ${period}
    group by 1, 2, 3, 4, 5`);
}

/** Adds the next link to the chain; returns the month's last link if nothing has changed since. */
async function link(tx: Tx, period: string): Promise<Closing> {
  const [newest] = await ormOf(tx)
    .select()
    .from(ledgerClosings)
    .orderBy(desc(ledgerClosings.number))
    .limit(1);
  const [totals] = await ormOf(tx)
    .select({
      entries: sql`coalesce(sum(${ledgerCheckpoints.entries}), 0)`.mapWith(Number),
      sums: sumsDigest,
    })
    .from(ledgerCheckpoints)
    .where(eq(ledgerCheckpoints.period, period));
  const latest = (await latestClosings(tx)).get(period);
  if (!totals) {
    throw new Error("a sum without a row");
  }
  if (latest && latest.sums === totals.sums) {
    return latest;
  }
  const number = (newest?.number ?? 0) + 1;
  const digest = linkDigest(newest?.digest ?? "", { number, period, ...totals });
  const closing = { number, period, ...totals, digest };
  const rows = await ormOf(tx).insert(ledgerClosings).values(closing).returning();
  const [made] = rows;
  if (!made) {
    throw new Error("an insert without a row");
  }
  return made;
}

/** The reason why a month cannot be closed, apart from drift; null: none. */
async function obstacleOf(db: Db, { period, openPeriod }: MonthThatIsOver): Promise<NotClosed | null> {
  if (period >= openPeriod) {
    return "current";
  }
  if ((await latestClosings(db)).get(period)?.archivedAt) {
    return "archived";
  }
  if (!(await listPartitions(db, "ledger_entries")).includes(period)) {
    return "unknown";
  }
  return (await hasHolds(db, period)) ? "open" : null;
}

/** `openPeriod`: the month under way. */
type MonthThatIsOver = { period: string; openPeriod: string };

/**
 * Closes a month: verifies it, sums it up, and binds the sums to those of the months closed before. For months without
 * further changes. If the month is closed again after a late charge, the new link applies.
 */
export async function closeMonth(db: Database, month: MonthThatIsOver): Promise<Closing | NotClosed> {
  const obstacle = await obstacleOf(patient(db), month);
  if (obstacle !== null) {
    return obstacle;
  }
  const { period } = month;
  if (await hasDrift(patient(db), period)) {
    return "drift";
  }
  return await transaction(patient(db), async (tx) => {
    await lockChain(tx);
    // Verification takes minutes. Meanwhile the entries may have been archived, or a late call may have begun.
    const newObstacle = await obstacleOf(tx, month);
    if (newObstacle !== null) {
      return newObstacle;
    }
    await sumUp(tx, period);
    return await link(tx, period);
  });
}

/** Whether a closed month still matches its stored sums: nothing has been charged in it since. */
async function isUpToDate(db: Db, period: string): Promise<boolean> {
  const slices = verifySlices(db, { periods: [period], closedMonths: [period] });
  for await (const { drift, isReopened } of slices) {
    if (isReopened || drift.length > 0) {
      return false;
    }
  }
  return true;
}

/**
 * Closes old months (before the last one) that are open, or that have a charge since they were closed. Returns the
 * months that cannot be closed, with the reasons.
 */
export async function closeOldMonths(
  db: Database,
  openPeriod: string,
): Promise<{ period: string; why: NotClosed }[]> {
  const kept: { period: string; why: NotClosed }[] = [];
  const closings = await latestClosings(patient(db));
  for (const period of await listPartitions(patient(db), "ledger_entries")) {
    const isOld = period < periodBefore(openPeriod);
    if (!isOld || (closings.has(period) && (await isUpToDate(patient(db), period)))) {
      continue;
    }
    const closed = await closeMonth(db, { period, openPeriod });
    if (typeof closed === "string") {
      kept.push({ period, why: closed });
    }
  }
  return kept;
}
