import { findKeyNames } from "@/server/access";
import { formatMoney } from "@/server/base/money";
import { Refusal } from "@/server/base/refusal";
import {
  getBalance,
  type LedgerEntry,
  listPeriods,
  listStatement,
  periodBounds,
  spendByDay,
} from "@/server/billing";
import { PAGE_ROWS } from "@/server/operations/schema";
import type { Runtime } from "@/server/process/runtime";

type Month = { accountId: string; period: string };

/** An account's billing months, newest first. The one under way is there even before its first call. */
export async function showPeriods({ db, billing }: Runtime, accountId: string) {
  await getBalance(db.orm, { accountId, period: billing.period() });
  return (await listPeriods(db.sql, accountId)).map(({ period }) => period);
}

async function findMonth({ db }: Runtime, { accountId, period }: Month) {
  const found = (await listPeriods(db.sql, accountId)).find((month) => month.period === period);
  if (!found) {
    throw new Refusal(`there is no month ${period}`, "periodUnknown");
  }
  return found;
}

/**
 * A month's sums, in decimal strings of currency units: `grant` + `adjusted` + `topups` - `used` - `frozen` =
 * `available`. `start` and `end`: when it began and is over. Throws Refusal.
 */
export async function showStatement(runtime: Runtime, month: Month) {
  const { db, billing, config } = runtime;
  const balance = await findMonth(runtime, month);
  const granted = await listStatement(db.sql, { ...month, kind: "grant" }, { limit: 1 });
  const grant = BigInt(granted.rows[0]?.amount ?? balance.quota);
  return {
    period: balance.period,
    isUnderWay: balance.period === billing.period(),
    ...periodBounds(balance.period, config.BILLING_TIMEZONE),
    grant: formatMoney(grant),
    adjusted: formatMoney(balance.quota - grant),
    topups: formatMoney(balance.topups),
    used: formatMoney(balance.used),
    frozen: formatMoney(balance.frozen),
    available: formatMoney(balance.available),
    quota: formatMoney(balance.quota),
  };
}

/** By how much an entry changes what may be spent. A release only ends what was frozen. */
export function changeOf({ kind, amount }: Pick<LedgerEntry, "kind" | "amount">): bigint {
  if (kind === "release") {
    return 0n;
  }
  return kind === "capture" ? -BigInt(amount) : BigInt(amount);
}

/** Entries with the names of their keys. */
export async function withKeys({ db }: Runtime, entries: LedgerEntry[], accountId: string) {
  const keyIds = new Set(entries.flatMap(({ keyId }) => keyId ?? []));
  const names = await findKeyNames(db.orm, [...keyIds], accountId);
  return entries.map((entry) => ({ ...entry, key: names.get(entry.keyId ?? "") ?? null }));
}

type Listing = Month & { kind?: LedgerEntry["kind"] | undefined; cursor?: string | undefined };

/** A page of a month's entries, newest first. `change`: signed, in currency units. Throws Refusal. */
export async function showEntries(runtime: Runtime, { cursor, ...filter }: Listing) {
  const page = await listStatement(runtime.db.sql, filter, { cursor, limit: PAGE_ROWS });
  const rows = (await withKeys(runtime, page.rows, filter.accountId)).map((entry) => ({
    id: entry.id,
    createdAt: entry.createdAt,
    kind: entry.kind,
    change: formatMoney(changeOf(entry)),
    held: entry.held === null ? null : formatMoney(BigInt(entry.held)),
    requestId: entry.requestId,
    modelId: entry.modelId,
    key: entry.key,
    note: entry.note,
  }));
  return { rows, nextCursor: page.nextCursor };
}

/** What a month was charged for, by day and model. */
export async function showSpend({ db, config }: Runtime, month: Month) {
  const days = await spendByDay(db.sql, { ...month, timeZone: config.BILLING_TIMEZONE });
  return { days: days.map((day) => ({ ...day, amount: formatMoney(day.amount) })), models: sumByModel(days) };
}

/** Days as models, the dearest first. */
function sumByModel(days: Awaited<ReturnType<typeof spendByDay>>) {
  const models = new Map<string, Omit<(typeof days)[number], "day">>();
  for (const { day: _, ...one } of days) {
    const sum = models.get(one.modelId);
    models.set(one.modelId, {
      modelId: one.modelId,
      calls: one.calls + (sum?.calls ?? 0),
      amount: one.amount + (sum?.amount ?? 0n),
      inputTokens: one.inputTokens + (sum?.inputTokens ?? 0),
      outputTokens: one.outputTokens + (sum?.outputTokens ?? 0),
    });
  }
  return [...models.values()]
    .sort((one, other) => (one.amount < other.amount ? 1 : -1))
    .map((model) => ({ ...model, amount: formatMoney(model.amount) }));
}
