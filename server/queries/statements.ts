import { z } from "zod";
import { findKeyNames, getAccount } from "@/server/access";
import { formatMoney, inDecimals, type Nanos, nanos } from "@/server/base/money";
import {
  findArchived,
  getBalance,
  type LedgerEntry,
  listPeriods,
  listStatement,
  spendByDay,
  sumKinds,
} from "@/server/billing";
import { entryKinds } from "@/server/domain/enums";
import { periodBounds } from "@/server/domain/period";
import { Refusal } from "@/server/domain/refusal";
import { AccountId, PAGE_ROWS, Page } from "@/server/operations/schema";
import { type QueryContext, query } from "./query";

/** A billing month. */
const Period = z
  .string()
  .length(7)
  .regex(/^\d{4}-(0[1-9]|1[0-2])$/);

export const MonthOf = z.strictObject({ accountId: AccountId, period: Period });

/** Throws Refusal if the account has no such month. */
export async function findMonth({ db }: QueryContext, { accountId, period }: z.output<typeof MonthOf>) {
  const match = (await listPeriods(db, accountId)).find((month) => month.period === period);
  if (!match) {
    throw new Refusal(`month ${period} does not exist`, "periodUnknown");
  }
  return match;
}

/** Sums of the days by model, the most expensive first. */
function sumByModel(days: Awaited<ReturnType<typeof spendByDay>>) {
  const models = new Map<string, Omit<(typeof days)[number], "day">>();
  for (const { day: _, ...row } of days) {
    const sum = models.get(row.modelId);
    models.set(row.modelId, {
      modelId: row.modelId,
      calls: row.calls + (sum?.calls ?? 0),
      amount: nanos(row.amount + (sum?.amount ?? 0n)),
      inputTokens: row.inputTokens + (sum?.inputTokens ?? 0),
      outputTokens: row.outputTokens + (sum?.outputTokens ?? 0),
    });
  }
  return [...models.values()].sort((a, b) => (a.amount < b.amount ? 1 : -1));
}

/** By how much an entry changes the available money. A release only ends a hold. */
export function changeOf({ kind, amount }: Pick<LedgerEntry, "kind" | "amount">): Nanos {
  if (kind === "release") {
    return nanos(0n);
  }
  return kind === "capture" ? nanos(-amount) : amount;
}

/** Entries with the names of their keys. */
export async function withKeys({ db }: QueryContext, entries: LedgerEntry[], accountId: AccountId) {
  const keyIds = new Set(entries.flatMap(({ keyId }) => keyId ?? []));
  const names = await findKeyNames(db, [...keyIds], accountId);
  return entries.map((entry) => ({ ...entry, key: names.get(entry.keyId ?? "") ?? null }));
}

/** An account's billing months, newest first. The current one is included even before its first call. */
export const periods = query({
  needs: "read",
  input: MonthOf.pick({ accountId: true }),
  read: async ({ db, billing }, { accountId }) => {
    await getBalance(db, { accountId, period: billing.period() });
    return (await listPeriods(db, accountId)).map(({ period }) => period);
  },
});

/**
 * The parts of a balance's `topups`. Payments are the rest of the sum, so that the parts add up to it although an entry
 * is written between the two readings.
 */
async function partsOf({ db }: QueryContext, month: z.output<typeof MonthOf>, topups: Nanos) {
  const kinds = await sumKinds(db, month);
  const none = nanos(0n);
  const { refund: refunded = none, adjustment: adjustments = none, carryover: carried = none } = kinds;
  return { topups: nanos(topups - refunded - adjustments - carried), refunded, adjustments, carried };
}

/**
 * A month's sums: `grant` + `adjusted` + `topups` - `used` - `frozen` = `available`. `apart`: the parts of `topups`.
 * `start` and `end`: the bounds of the month. `isArchived`: its entries are no longer in the database.
 */
export const get = query({
  needs: "read",
  input: MonthOf,
  read: async (reading, month) => {
    const { db, billing, config } = reading;
    const balance = await findMonth(reading, month);
    const granted = await listStatement(db, { ...month, kind: "grant" }, { limit: 1 });
    const archived = await findArchived(db, month);
    const grant = granted.rows[0]?.amount ?? nanos(balance.quota - (archived?.adjusted ?? 0n));
    return inDecimals({
      ...balance,
      isUnderWay: balance.period === billing.period(),
      isArchived: archived !== null,
      ...periodBounds(balance.period, config.BILLING_TIMEZONE),
      grant,
      adjusted: nanos(balance.quota - grant),
      apart: await partsOf(reading, month, balance.topups),
    });
  },
});

/** A month's entries, by default of the current one, newest first. `change`: signed. */
export const entries = query({
  mayLag: true,
  needs: "read",
  input: Page.extend({
    accountId: AccountId,
    period: Period.optional(),
    kind: z.enum(entryKinds).optional(),
  }),
  read: async (reading, { cursor, period = reading.billing.period(), ...rest }) => {
    const filter = { ...rest, period };
    await getAccount(reading.db, filter.accountId);
    const page = await listStatement(reading.db, filter, { cursor, limit: PAGE_ROWS });
    const rows = (await withKeys(reading, page.rows, filter.accountId)).map((entry) => ({
      id: entry.id,
      createdAt: entry.createdAt,
      kind: entry.kind,
      change: formatMoney(changeOf(entry)),
      held: inDecimals(entry.held),
      requestId: entry.requestId,
      modelId: entry.modelId,
      key: entry.key,
      note: entry.note,
    }));
    return { rows, nextCursor: page.nextCursor };
  },
});

/** The charges of a month, by day and model. */
export const spend = query({
  mayLag: true,
  needs: "read",
  input: MonthOf,
  read: async ({ db, config }, month) => {
    await getAccount(db, month.accountId);
    const days = await spendByDay(db, { ...month, timeZone: config.BILLING_TIMEZONE });
    return inDecimals({ days, models: sumByModel(days) });
  },
});
