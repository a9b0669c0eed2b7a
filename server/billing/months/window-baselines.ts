import { and, eq, gte, lt, type SQL, sql } from "drizzle-orm";
import { stopwatch } from "@/server/base/clock";
import { nanos } from "@/server/base/money";
import { createRecent } from "@/server/base/recent";
import { type Database, tables, transaction } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { AccountId, KeyId } from "@/server/domain/ids";
import type { CapWindowSpan, Windows } from "./windows";

const { accountMonths, holds, spendHours } = tables;

/** The owner of the window: one key, or (null) the whole account. */
type WindowOwner = { accountId: AccountId; keyId: KeyId | null };
type WindowKind = keyof Windows;
type From = { period: string; from: Date };

const isOf = (table: typeof spendHours | typeof holds, { accountId, keyId }: WindowOwner): SQL | undefined =>
  and(eq(table.accountId, accountId), keyId === null ? undefined : eq(table.keyId, keyId));

async function usedUntil(db: Database, owner: WindowOwner, { period, from }: From) {
  const [row] = await ormOf(db)
    .select({
      amount: sql`coalesce(sum(${spendHours.amount}), 0)`.mapWith(nanos),
      now: sql`now()`.mapWith(spendHours.hour),
    })
    .from(spendHours)
    .where(and(isOf(spendHours, owner), eq(spendHours.period, period), lt(spendHours.hour, from)));
  return { amount: row?.amount ?? nanos(0n), now: row?.now ?? from };
}

/**
 * Returns the amount that a week used and froze in the month in which it began. Nothing is added to it afterwards,
 * because the month is marked first: a freeze under a weekly cap that waits for that month's lock then finds that the
 * week continues in the next month. Repeating it changes nothing.
 */
async function takenBefore(db: Database, owner: WindowOwner, { period, from }: From): Promise<bigint> {
  return await transaction(db, async (tx) => {
    const { accountId, weekHasGoneOn } = accountMonths;
    await ormOf(tx)
      .update(accountMonths)
      .set({ weekHasGoneOn: true })
      .where(and(eq(accountId, owner.accountId), eq(accountMonths.period, period), eq(weekHasGoneOn, false)));
    const [row] = await ormOf(tx).execute<{ amount: string }>(sql`
      select (
        select coalesce(sum(amount), 0) from ${spendHours}
        where ${isOf(spendHours, owner)} and ${eq(spendHours.period, period)} and ${gte(spendHours.hour, from)}
      ) + (
        -- The hours include the charges of an escrow's calls.
        select coalesce(sum(amount - captured), 0) from ${holds}
        where ${isOf(holds, owner)} and ${eq(holds.period, period)}
      ) as amount`);
    return BigInt(row?.amount ?? 0);
  });
}

/** `readAt` null: the mark must not be cached. */
type Mark = { amount: bigint; readAt: number | null };

const MAX_MARKS = 20_000;
const FRESH_MS = 1_000;

/**
 * The baselines of windows: the amount that the month had used when the window began, in nano-units; negative if a week
 * began in the month before, by what it took there. A baseline rarely changes after the window's start: charges
 * committed late are added, and unneeded frozen amounts are removed. `isFresh`: it must have been read within this
 * second.
 */
export type WindowBaselines = (
  owner: WindowOwner,
  kind: WindowKind,
  at: { window: CapWindowSpan; isFresh: boolean },
) => Promise<bigint>;

export function createWindowBaselines(
  db: Database,
  windowsOf: (moment: Date, period: string) => Windows,
): WindowBaselines {
  const marks = createRecent<string, Promise<Mark>>(MAX_MARKS);

  /** If the window has not begun by the database's clock, which dates charges, the previous window applies. */
  async function read(owner: WindowOwner, kind: WindowKind, window: CapWindowSpan): Promise<Mark> {
    const readAt = stopwatch();
    const { period, from, before } = window;
    if (before !== null) {
      return { amount: -(await takenBefore(db, owner, before)), readAt };
    }
    if (from === null) {
      return { amount: 0n, readAt };
    }
    const { amount, now } = await usedUntil(db, owner, { period, from });
    return now >= from
      ? { amount, readAt }
      : { ...(await read(owner, kind, windowsOf(now, period)[kind])), readAt: null };
  }

  return async (owner, kind, { window, isFresh }) => {
    const name = `${owner.accountId} ${owner.keyId ?? ""} ${window.period} ${window.day} ${kind}`;
    const last = marks.get(name);
    const mark = await last;
    if (mark && mark.readAt !== null && (!isFresh || stopwatch() - mark.readAt < FRESH_MS)) {
      return mark.amount;
    }
    // If several callers wait for the same baseline, only one reads it again; otherwise all of them would repeat a slow
    // query.
    const next = marks.peek(name);
    if (next && next !== last) {
      return (await next).amount;
    }
    const reading = read(owner, kind, window);
    marks.set(name, reading);
    reading.catch(() => {
      if (marks.peek(name) === reading) {
        marks.delete(name);
      }
    });
    return (await reading).amount;
  };
}
