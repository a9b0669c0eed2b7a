import { z } from "zod";
import { type ApiKey, getKey, listKeyPage } from "@/server/access";
import { systemClock } from "@/server/base/clock";
import { kinds } from "@/server/base/error-kinds";
import { inDecimals, type Nanos, nanos } from "@/server/base/money";
import { spendOfKeys, spendPointsOfKeys } from "@/server/billing";
import { lastErrorsOfKeys } from "@/server/calls";
import { keyStates, sparkSpans } from "@/server/domain/enums";
import type { AccountId, KeyId } from "@/server/domain/ids";
import {
  AccountId as AccountIdInput,
  KeyId as KeyIdInput,
  PAGE_ROWS,
  Page,
} from "@/server/operations/schema";
import { type CapUse, capUseOfKeys } from "./cap-use";
import { spendOfLastDays } from "./last-days";
import { type QueryContext, query } from "./query";

type Spend = { amount: Nanos; calls: number } | undefined;

/**
 * A key for a screen: money as decimal strings, `spent` in the current billing month. `isOverCap`: one of its caps is
 * used up. `isRefused`: money is left, but its last call was refused, because it could have cost more.
 */
const view = (
  key: ApiKey,
  spend: Spend,
  { capUse, lastError }: { capUse: CapUse[]; lastError?: string | undefined },
) => {
  const isOverCap = capUse.some(({ isOver }) => isOver);
  return inDecimals({
    ...key,
    ...{ spent: spend?.amount ?? nanos(0n), calls: spend?.calls ?? 0 },
    ...{ capUse, isOverCap, isRefused: !isOverCap && lastError === kinds.quotaExhausted.slug },
  });
};

async function views(reading: QueryContext, keys: ApiKey[], accountId: AccountId | undefined) {
  const { db, billing } = reading;
  const keyIds = keys.map(({ id }) => id);
  const spends = await spendOfKeys(db, { keyIds, period: billing.period(), accountId });
  const spent = (keyId: KeyId) => spends.get(keyId)?.amount ?? nanos(0n);
  const capUse = await capUseOfKeys(reading, keys, { spent, accountId });
  const errors = await lastErrorsOfKeys(db, keyIds);
  return keys.map((key) =>
    view(key, spends.get(key.id), { capUse: capUse.get(key.id) ?? [], lastError: errors.get(key.id) }),
  );
}

const Target = z.strictObject({ keyId: KeyIdInput, accountId: AccountIdInput.optional() });

/** Newest first; without an account, keys of all accounts. */
export const list = query({
  needs: "read",
  input: Page.extend({
    accountId: AccountIdInput.optional(),
    search: z.string().max(100).optional(),
    status: z.enum(keyStates).optional(),
  }),
  read: async (reading, { cursor, ...filter }) => {
    const page = await listKeyPage(reading.db, filter, { cursor, limit: PAGE_ROWS });
    return { rows: await views(reading, page.rows, filter.accountId), nextCursor: page.nextCursor };
  },
});

/**
 * Data for a sparkline: each point as a share of the highest, from 0 to 1, oldest first, and the exact sum as a
 * decimal. null: nothing was charged.
 */
function sparkOf(amounts: Nanos[] | undefined) {
  const sum = (amounts ?? []).reduce((total, amount) => total + amount, 0n);
  if (amounts === undefined || sum <= 0n) {
    return null;
  }
  const highest = Math.max(...amounts.map(Number));
  const shares = amounts.map((amount) => Math.max(0, Math.round((Number(amount) / highest) * 100) / 100));
  return inDecimals({ amount: nanos(sum), shares });
}

/**
 * The same keys for a screen: a row has the numbers of its rules and models, because a list may be long, and a
 * sparkline of its recent spend if a span is given.
 */
export const rows = query({
  needs: list.needs,
  input: list.input.extend({ span: z.enum(sparkSpans).optional() }),
  read: async (reading, { span, ...input }, side) => {
    const page = await list.read(reading, input, side);
    const keyIds = page.rows.map(({ id }) => id);
    const { accountId } = input;
    const about = { now: systemClock(), timeZone: reading.config.BILLING_TIMEZONE };
    const points = span && (await spendPointsOfKeys(reading.db, { keyIds, accountId, span, ...about }));
    const short = page.rows.map(({ allowedIps, models, ...key }) => ({
      ...key,
      ruleCount: allowedIps.length,
      modelCount: models.length,
      spark: sparkOf(points?.get(key.id)),
    }));
    return { rows: short, nextCursor: page.nextCursor };
  },
});

export const get = query({
  needs: "read",
  input: Target,
  read: async (reading, target) => {
    const [view] = await views(reading, [await getKey(reading.db, target)], target.accountId);
    if (!view) {
      throw new Error("the key is gone");
    }
    return view;
  },
});

/** A key's charges of the last 30 days, by day and model. */
export const days = query({
  needs: "read",
  input: Target,
  read: async (reading, target) => {
    await getKey(reading.db, target);
    return await spendOfLastDays(reading, target);
  },
});
