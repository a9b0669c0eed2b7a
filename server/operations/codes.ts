/** Codes that customers redeem for money. Only one answer contains the codes in clear. */
import { z } from "zod";
import { getAccount } from "@/server/access";
import { formatMoney } from "@/server/base/money";
import { disableCodes, makeCodes, redeemCode } from "@/server/billing";
import { operation } from "./operation";
import { AccountId, Id, Moment, Money } from "./schema";

const MOST_CODES = 1_000;

export const create = operation({
  needs: "money.write",
  input: z.strictObject({
    name: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .describe("The name of the batch; customers see it on their statement"),
    amount: Money.describe("The value of each code"),
    count: z.number().int().min(1).max(MOST_CODES),
    expiresAt: Moment.nullable().optional().describe("null or omitted: never"),
  }),
  run: async ({ db, actor }, { expiresAt = null, ...input }) => {
    const batch = await makeCodes(db, { ...input, expiresAt, createdBy: actor.name });
    const { id, name, codes } = batch;
    const amount = formatMoney(batch.amount);
    return {
      action: "code.create" as const,
      accountId: null,
      target: { id, name },
      after: { amount, count: codes.length, expiresAt },
      result: { id, name, amount, expiresAt, codes },
    };
  },
});

/** Disables the codes of a batch that are not redeemed yet. */
export const disable = operation({
  needs: "money.write",
  input: z.strictObject({ batchId: Id }),
  run: async ({ db }, { batchId }) => {
    const { id, name } = await disableCodes(db, batchId);
    return { action: "code.disable" as const, accountId: null, target: { id, name }, result: null };
  },
});

/** Credits the current month. */
export const redeem = operation({
  needs: "money.pay",
  input: z.strictObject({ accountId: AccountId, code: z.string().min(1).max(100) }),
  run: async ({ db, period }, { accountId, code }) => {
    const account = await getAccount(db, accountId);
    const month = period();
    const made = await redeemCode(db, { accountId: account.id, period: month, code, now: new Date() });
    const amount = formatMoney(made.amount);
    return {
      action: "code.redeem" as const,
      accountId,
      target: made.batch,
      after: { amount, period: month, lastFour: made.lastFour },
      result: { amount, available: formatMoney(made.balance.available) },
    };
  },
});
