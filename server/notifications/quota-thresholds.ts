import { listCappedKeys, listLimitedAccounts } from "@/server/access";
import { formatMoney, type Nanos, nanos } from "@/server/base/money";
import {
  accountsSpentWithin,
  currentWindows,
  keysSpentWithin,
  spendOfKeys,
  usageFrom,
} from "@/server/billing";
import type { Db } from "@/server/db";
import type { CapWindow } from "@/server/domain/cap-windows";
import type { AccountId, KeyId } from "@/server/domain/ids";
import { periodBounds } from "@/server/domain/period";

/** The most identifiers in a statement, which has room for some tens of thousands. */
const BATCH = 5_000;

/** Percent of a month's money, of a key's cap, or of an account's daily limit. */
export const levels = [50, 80, 100] as const;
type Level = (typeof levels)[number];

/** The highest level that a share has reached; null: none. */
function levelOf(spent: bigint, whole: bigint): Level | null {
  return levels.findLast((level) => spent > 0n && spent * 100n >= whole * BigInt(level)) ?? null;
}

export type At = { period: string; timeZone: string; now: Date };

/** `period`: a month, or a day or week by its first day; each is announced once. */
export type ReachedThreshold = {
  accountId: AccountId;
  period: string;
  subject: string;
  percent: Level;
  type: "quota.threshold" | "key.cap_threshold" | "daily_limit.threshold";
  data: Record<string, unknown>;
};

type AccountScope = AccountId[] | null;

export async function reachedMonths(
  db: Db,
  { period }: At,
  accountIds: AccountScope,
): Promise<ReachedThreshold[]> {
  const months = await usageFrom(db, { period, percent: levels[0], accountIds });
  return months.flatMap(({ accountId, ...month }) => {
    const percent = levelOf(month.used, month.quota + month.topups);
    const { quota, topups, used, frozen, available } = month;
    const sums = Object.entries({ quota, topups, used, frozen, available });
    const data = Object.fromEntries(sums.map(([name, sum]) => [name, formatMoney(sum)]));
    const type = "quota.threshold" as const;
    return percent === null ? [] : [{ accountId, period, subject: "", percent, type, data }];
  });
}

async function inBatches<Id extends string>(
  ids: Id[],
  read: (some: Id[]) => Promise<Map<Id, Nanos>>,
): Promise<Map<Id, Nanos>> {
  const amounts = new Map<Id, Nanos>();
  for (let start = 0; start < ids.length; start += BATCH) {
    for (const [id, amount] of await read(ids.slice(start, start + BATCH))) {
      amounts.set(id, amount);
    }
  }
  return amounts;
}

const spentInMonth = async (db: Db, keyIds: KeyId[], period: string) =>
  new Map([...(await spendOfKeys(db, { keyIds, period }))].map(([id, { amount }]) => [id, amount]));

const capNames = { day: "dailyCap", week: "weeklyCap", month: "monthlyCap" } as const;

/** Gives a week another name than its Monday, so that both are announced. */
const dedupeKey = { day: "", week: "/P7D", month: "" } as const;

async function reachedCapsOf(
  db: Db,
  { period, timeZone, now }: At,
  request: { keys: Keys; window: CapWindow },
) {
  const { keys, window } = request;
  const capped = keys.flatMap((key) => {
    const cap = key[capNames[window]];
    return cap === null ? [] : [{ ...key, cap }];
  });
  const windows = currentWindows(timeZone, now);
  const spent = await inBatches(
    capped.map(({ id }) => id),
    (keyIds) =>
      window === "month"
        ? spentInMonth(db, keyIds, period)
        : keysSpentWithin(db, { keyIds, window: windows[window] }),
  );
  const first = window === "month" ? period : windows[window].day;
  const until = window === "month" ? periodBounds(period, timeZone).end : windows[window].until;
  return capped.flatMap(({ id, accountId, name, cap }): ReachedThreshold[] => {
    const amount: Nanos = spent.get(id) ?? nanos(0n);
    const percent = levelOf(amount, cap);
    const sums = { cap: formatMoney(cap), spent: formatMoney(amount) };
    const data = { period: first, key_id: id, key: name, window, resets_at: until.toISOString(), ...sums };
    const threshold = { period: `${first}${dedupeKey[window]}`, subject: id };
    return percent === null ? [] : [{ accountId, ...threshold, percent, type: "key.cap_threshold", data }];
  });
}

type Keys = Awaited<ReturnType<typeof listCappedKeys>>;

/** The levels that daily, weekly and monthly caps have reached. */
export async function reachedCaps(db: Db, at: At, accountIds: AccountScope): Promise<ReachedThreshold[]> {
  const keys = await listCappedKeys(db, accountIds);
  const reached: ReachedThreshold[] = [];
  for (const window of ["month", "week", "day"] as const) {
    reached.push(...(await reachedCapsOf(db, at, { keys, window })));
  }
  return reached;
}

/** The levels that daily limits of accounts have reached. */
export async function reachedLimits(
  db: Db,
  { timeZone, now }: At,
  accountIds: AccountScope,
): Promise<ReachedThreshold[]> {
  const accounts = await listLimitedAccounts(db, accountIds);
  const { day } = currentWindows(timeZone, now);
  const spent = await inBatches(
    accounts.map(({ id }) => id),
    (some) => accountsSpentWithin(db, { accountIds: some, window: day }),
  );
  return accounts.flatMap(({ id: accountId, dailyLimit }): ReachedThreshold[] => {
    const amount: Nanos = spent.get(accountId) ?? nanos(0n);
    const percent = levelOf(amount, dailyLimit);
    const sums = { limit: formatMoney(dailyLimit), spent: formatMoney(amount) };
    const data = { resets_at: day.until.toISOString(), ...sums };
    const threshold = { period: day.day, subject: "", type: "daily_limit.threshold" as const };
    return percent === null ? [] : [{ accountId, ...threshold, percent, data }];
  });
}
