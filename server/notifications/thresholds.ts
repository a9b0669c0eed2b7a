import { eq, sql } from "drizzle-orm";
import { listCappedKeys } from "@/server/access";
import type { AccountId, KeyId } from "@/server/base/ids";
import { formatMoney, type Nanos, nanos } from "@/server/base/money";
import { spendOfKeys, usageFrom } from "@/server/billing";
import { type Db, tables, transaction } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { announce } from "./announce";
import { listeningAccounts } from "./listening";

const { reachedShares } = tables;

/** A statement has room for some tens of thousands. */
const BATCH = 5_000;

/** Percent of a month's money, or of a key's cap. */
const levels = [50, 80, 100] as const;

/** The highest level that a share has come to; null: none. */
function levelOf(spent: bigint, whole: bigint): (typeof levels)[number] | null {
  return levels.findLast((level) => spent > 0n && spent * 100n >= whole * BigInt(level)) ?? null;
}

type At = { period: string; now: Date };
type Reached = {
  accountId: AccountId;
  subject: string;
  percent: (typeof levels)[number];
  type: "quota.threshold" | "key.cap_threshold";
  data: Record<string, unknown>;
};

/** Told once a month for each level, whichever replica sees it first; of several that are new, the highest. */
async function tellOnce(db: Db, { period, now }: At, reached: Reached): Promise<void> {
  const { accountId, subject, percent, type, data } = reached;
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

async function reachedMonths(db: Db, { period }: At, accountIds: AccountId[] | null): Promise<Reached[]> {
  const months = await usageFrom(db, { period, percent: levels[0], accountIds });
  return months.flatMap(({ accountId, ...month }) => {
    const percent = levelOf(month.used, month.quota + month.topups);
    const { quota, topups, used, frozen, available } = month;
    const sums = Object.entries({ quota, topups, used, frozen, available });
    const data = Object.fromEntries(sums.map(([name, sum]) => [name, formatMoney(sum)]));
    return percent === null
      ? []
      : [{ accountId, subject: "", percent, type: "quota.threshold" as const, data }];
  });
}

async function reachedCaps(db: Db, { period }: At, accountIds: AccountId[] | null): Promise<Reached[]> {
  const keys = await listCappedKeys(db, accountIds);
  const spent = new Map<KeyId, Nanos>();
  for (let start = 0; start < keys.length; start += BATCH) {
    const keyIds = keys.slice(start, start + BATCH).map(({ id }) => id);
    for (const [keyId, { amount }] of await spendOfKeys(db, { keyIds, period })) {
      spent.set(keyId, amount);
    }
  }
  return keys.flatMap(({ id, accountId, name, monthlyCap }) => {
    const amount: Nanos = spent.get(id) ?? nanos(0n);
    const percent = levelOf(amount, monthlyCap);
    const data = { key_id: id, key: name, cap: formatMoney(monthlyCap), spent: formatMoney(amount) };
    return percent === null
      ? []
      : [{ accountId, subject: id, percent, type: "key.cap_threshold" as const, data }];
  });
}

/** Tells of the shares of a month, and of keys' caps, that have been reached since the last look. */
export async function tellThresholds(db: Db, at: At): Promise<void> {
  const accountIds = await listeningAccounts(db, ["quota.threshold", "key.cap_threshold"]);
  if (accountIds?.length === 0) {
    return;
  }
  const told = await ormOf(db)
    .select({ subject: sql`account_id || ' ' || subject || ' ' || percent`.mapWith(String) })
    .from(reachedShares)
    .where(eq(reachedShares.period, at.period));
  const known = new Set(told.map(({ subject }) => subject));
  const reached = [...(await reachedMonths(db, at, accountIds)), ...(await reachedCaps(db, at, accountIds))];
  for (const one of reached) {
    if (!known.has(`${one.accountId} ${one.subject} ${one.percent}`)) {
      await tellOnce(db, at, one);
    }
  }
}
