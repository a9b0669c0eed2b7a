import { formatMoney, nanos } from "@/server/base/money";
import { currentWindows, spendOfDays, usageFrom } from "@/server/billing";
import { type Db, tables, transaction } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { AccountId } from "@/server/domain/ids";
import { announce } from "./announce";
import { anomalyOf } from "./anomaly";
import { listeningAccounts } from "./listening";
import type { At } from "./quota-thresholds";

const { reachedShares } = tables;

/** The usual spend is that of four weeks. */
const DAYS_BEFORE = 28;
const SUBJECT = "spend.anomaly";

type Anomaly = { accountId: AccountId; spent: bigint; usual: bigint };

async function findAnomalies(db: Db, { period, timeZone, now }: At, accountIds: AccountId[] | null) {
  const days = await spendOfDays(db, { now, timeZone, daysBefore: DAYS_BEFORE, accountIds });
  const active = [...days.keys()];
  const months = active.length === 0 ? [] : await usageFrom(db, { period, percent: 0, accountIds: active });
  return months.flatMap(({ accountId, quota, topups }): Anomaly[] => {
    const { spent, before } = days.get(accountId) ?? { spent: 0n, before: [] };
    const anomaly = anomalyOf({ spent, before, money: quota + topups });
    return anomaly === null ? [] : [{ accountId, spent, ...anomaly }];
  });
}

/** Announces accounts that have spent far more in the last 24 hours than usual; each at most once a billing day. */
export async function tellAnomalies(db: Db, at: At): Promise<void> {
  const accountIds = await listeningAccounts(db, [SUBJECT]);
  if (accountIds?.length === 0) {
    return;
  }
  const { day } = currentWindows(at.timeZone, at.now).day;
  for (const { accountId, spent, usual } of await findAnomalies(db, at, accountIds)) {
    await transaction(db, async (tx) => {
      const fresh = await ormOf(tx)
        .insert(reachedShares)
        .values({ accountId, period: day, subject: SUBJECT, percent: 0 })
        .onConflictDoNothing()
        .returning({ percent: reachedShares.percent });
      if (fresh.length > 0) {
        const sums = { spent: formatMoney(nanos(spent)), usual: formatMoney(nanos(usual)) };
        await announce(tx, { type: SUBJECT, accountId, at: at.now, data: { hours: 24, ...sums } });
      }
    });
  }
}
