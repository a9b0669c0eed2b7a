import { z } from "zod";
import { type ApiKey, getKey, listKeyPage } from "@/server/access";
import { keyStates } from "@/server/base/facts";
import { inDecimals, type Nanos, nanos } from "@/server/base/money";
import { spendByDay, spendOfKeys } from "@/server/billing";
import { AccountId, KeyId, PAGE_ROWS, Page } from "@/server/operations/schema";
import { query } from "./query";

type Spend = { amount: Nanos; calls: number } | undefined;

/** A key on screen: money as decimal strings, `spent` in the billing month under way. */
const view = (key: ApiKey, spend: Spend) =>
  inDecimals({ ...key, spent: spend?.amount ?? nanos(0n), calls: spend?.calls ?? 0 });

const Target = z.strictObject({ keyId: KeyId, accountId: AccountId.optional() });

/** Newest first; of every account where none is named. */
export const list = query({
  by: ["owner", "operator"],
  input: Page.extend({
    accountId: AccountId.optional(),
    search: z.string().max(100).optional(),
    status: z.enum(keyStates).optional(),
  }),
  read: async ({ db, billing }, { cursor, ...filter }) => {
    const page = await listKeyPage(db, filter, { cursor, limit: PAGE_ROWS });
    const keyIds = page.rows.map(({ id }) => id);
    const { accountId } = filter;
    const spent = await spendOfKeys(db, { keyIds, period: billing.period(), accountId });
    return { rows: page.rows.map((key) => view(key, spent.get(key.id))), nextCursor: page.nextCursor };
  },
});

/** The same for a screen: of its rules and models a row has the numbers, for a list may be long. */
export const rows = query({
  ...list,
  read: async (reading, input, seat) => {
    const page = await list.read(reading, input, seat);
    const short = page.rows.map(({ allowedIps, models, ...key }) => ({
      ...key,
      ruleCount: allowedIps.length,
      modelCount: models.length,
    }));
    return { rows: short, nextCursor: page.nextCursor };
  },
});

export const get = query({
  by: ["owner", "operator"],
  input: Target,
  read: async ({ db, billing }, target) => {
    const key = await getKey(db, target);
    const spent = await spendOfKeys(db, { ...target, keyIds: [key.id], period: billing.period() });
    return view(key, spent.get(key.id));
  },
});

/** What a key was charged for in the month under way, by day and model. */
export const days = query({
  by: ["owner", "operator"],
  input: Target,
  read: async ({ db, billing, config }, target) => {
    await getKey(db, target);
    const timeZone = config.BILLING_TIMEZONE;
    return inDecimals(await spendByDay(db, { ...target, period: billing.period(), timeZone }));
  },
});
