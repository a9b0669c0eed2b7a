import { and, eq } from "drizzle-orm";
import { LRUCache } from "lru-cache";
import type { Clock } from "@/server/base/clock";
import { type Nanos, nanos } from "@/server/base/money";
import { type Database, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { AccountId, KeyId } from "@/server/domain/ids";
import { periodAfter, periodBounds } from "@/server/domain/period";
import type { Bound, Payer } from "./months";
import { createWindowBaselines, type WindowBaselines } from "./window-baselines";
import { type CapWindowSpan, type Windows, windowsAt } from "./windows";

const { accountMonths } = tables;

/** The caps per window of the key and of the whole account, in nano-units; null: no cap. */
type WindowCaps = { keyDay: Nanos | null; keyWeek: Nanos | null; accountDay: Nanos | null };

/**
 * The payer of a call, with the caps of its owner and of the operator. Without `windows`, only the key's month is
 * capped.
 */
export type Buyer = {
  accountId: AccountId;
  keyId: KeyId;
  keyCap: Nanos | null;
  windows?: WindowCaps | undefined;
};

/**
 * Converts caps per day and per week to a cap on the month's total: the amount used when the window began, plus the
 * cap. So the counter of the month, which every statement changes under its lock, enforces all caps, and no other
 * counter is needed.
 */
export type Caps = {
  /** From cached figures. */
  payerOf: (buyer: Buyer, period: string) => Payer | Promise<Payer>;
  /**
   * After a refusal: reads the figures again, unless they were read within this second. The result may be for the next
   * month.
   */
  again: (buyer: Buyer, period: string) => Promise<Payer>;
};

type Cap = { amount: bigint; bound: Bound };

const lowestOf = (caps: Cap[]): Cap | null =>
  caps.reduce<Cap | null>((least, cap) => (least === null || cap.amount < least.amount ? cap : least), null);

/** Caches windows and months, computed once per hour. */
function createTimes(timeZone: string) {
  const windows = new LRUCache<string, Windows>({ max: 100 });
  const months = new LRUCache<string, Bound>({ max: 10 });
  return {
    windowsOf: (moment: Date, period: string): Windows => {
      const name = `${period} ${Math.floor(moment.getTime() / 3_600_000)}`;
      const hourWindows = windows.get(name) ?? windowsAt(moment, { period, timeZone });
      windows.set(name, hourWindows);
      return hourWindows;
    },
    monthOf: (period: string): Bound => {
      const bound = months.get(period) ?? { window: "month", until: periodBounds(period, timeZone).end };
      months.set(period, bound);
      return bound;
    },
  };
}

type CapQuery = { cap: Nanos | null; window: CapWindowSpan; isFresh: boolean };

const capsOf =
  (marks: WindowBaselines) =>
  async (owner: Parameters<WindowBaselines>[0], kind: keyof Windows, query: CapQuery): Promise<Cap[]> => {
    const { cap, window } = query;
    return cap === null
      ? []
      : [{ amount: (await marks(owner, kind, query)) + cap, bound: { window: kind, until: window.until } }];
  };

/**
 * Whether another process has opened the week in the next month already: a process with a slow clock would buy in the
 * old month.
 */
async function hasGoneOn(db: Database, accountId: AccountId, period: string): Promise<boolean> {
  const [month] = await ormOf(db)
    .select({ weekHasGoneOn: accountMonths.weekHasGoneOn })
    .from(accountMonths)
    .where(and(eq(accountMonths.accountId, accountId), eq(accountMonths.period, period)));
  return month?.weekHasGoneOn ?? false;
}

export function createCaps(deps: { db: Database; clock: Clock; timeZone: string }): Caps {
  const { db, clock, timeZone } = deps;
  const { windowsOf, monthOf } = createTimes(timeZone);
  const caps = capsOf(createWindowBaselines(db, windowsOf));

  const monthAlone = ({ accountId, keyId, keyCap }: Buyer, period: string): Payer => ({
    ...{ accountId, period, keyId, keyCap },
    ...(keyCap !== null && { keyBound: monthOf(period) }),
  });

  async function within(buyer: Buyer & { windows: WindowCaps }, period: string, isFresh: boolean) {
    const { accountId, keyId, keyCap, windows } = buyer;
    const { day, week } = windowsOf(clock(), period);
    const ofKey = { accountId, keyId };
    const [keyDay, keyWeek, accountDay] = await Promise.all([
      caps(ofKey, "day", { cap: windows.keyDay, window: day, isFresh }),
      caps(ofKey, "week", { cap: windows.keyWeek, window: week, isFresh }),
      caps({ accountId, keyId: null }, "day", { cap: windows.accountDay, window: day, isFresh }),
    ]);
    const keyMonth = keyCap === null ? [] : [{ amount: keyCap, bound: monthOf(period) }];
    const [key, account] = [lowestOf([...keyMonth, ...keyWeek, ...keyDay]), lowestOf(accountDay)];
    const payer: Payer = {
      ...{ accountId, period, keyId },
      keyCap: key && nanos(key.amount),
      ...(key && { keyBound: key.bound }),
      accountCap: account && nanos(account.amount),
      ...(account && { accountBound: account.bound }),
      weekContinues: windows.keyWeek !== null && week.continues,
    };
    return payer;
  }

  return {
    payerOf: ({ windows, ...buyer }, period) =>
      windows ? within({ ...buyer, windows }, period, false) : monthAlone(buyer, period),
    again: async ({ windows, ...buyer }, period) => {
      if (!windows) {
        return monthAlone(buyer, period);
      }
      const payer = await within({ ...buyer, windows }, period, true);
      return payer.weekContinues && (await hasGoneOn(db, buyer.accountId, period))
        ? await within({ ...buyer, windows }, periodAfter(period), true)
        : payer;
    },
  };
}
