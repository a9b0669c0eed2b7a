import { z } from "zod";
import {
  createAccount,
  createUser,
  getAccount,
  lockAccount,
  renameAccount,
  setAccountLimits,
  setAccountStatus,
} from "@/server/access";
import { accountLimitsOf, Email, SomeAccountLimits } from "@/server/access/schema";
import { setMonthlyQuota, topUp } from "@/server/billing";
import { formatMoney } from "@/server/money";
import { operatorChange } from "../changes";
import { operatorProcedure, router } from "../trpc";
import { Money, Page } from "../wire";
import { accountKeysRouter } from "./account-keys";
import { showAccount, showAccountPage } from "./account-view";
import { invite } from "./users";

const Account = z.strictObject({ accountId: z.string().min(1).max(100) });

const Name = z.string().trim().min(1).max(100);

const Status = z.enum(["active", "disabled"]);

/** What the ledger tells of a change. */
const Reason = z.string().trim().min(1).max(300);

const Quota = Money.refine((nanos) => nanos >= 0n);

export const accountsRouter = router({
  keys: accountKeysRouter,
  list: operatorProcedure
    .input(Page.extend({ search: z.string().max(100).optional(), status: Status.optional() }))
    .query(({ ctx, input }) => showAccountPage(ctx.runtime, input)),
  get: operatorProcedure.input(Account).query(({ ctx, input }) => showAccount(ctx.runtime, input.accountId)),
  /** With its first user, who sets a password by the link in the answer. */
  create: operatorChange
    .input(SomeAccountLimits.extend({ name: Name, quota: Quota, email: Email }))
    .mutation(async ({ ctx, input: { quota, email, ...wanted } }) => {
      const { id, ...account } = await createAccount(ctx.db, { ...wanted, monthlyQuotaNanos: quota });
      const { name } = account;
      const user = await createUser(ctx.db, { accountId: id, email, password: null });
      await ctx.record({
        action: "account.create",
        accountId: id,
        target: { id, name },
        after: { name, quota: formatMoney(quota), user: user.email, ...accountLimitsOf(account) },
      });
      return { id, name, ...(await invite(ctx, user)) };
    }),
  rename: operatorChange.input(Account.extend({ name: Name })).mutation(async ({ ctx, input }) => {
    const { id, name } = await renameAccount(ctx.db, input);
    await ctx.record({
      action: "account.rename",
      accountId: id,
      target: { id, name: input.name },
      before: { name },
      after: { name: input.name },
    });
  }),
  setStatus: operatorChange.input(Account.extend({ status: Status })).mutation(async ({ ctx, input }) => {
    const before = await setAccountStatus(ctx.db, input);
    await ctx.record({
      action: input.status === "active" ? "account.enable" : "account.disable",
      accountId: before.id,
      target: { id: before.id, name: before.name },
      before: { status: before.status },
      after: { status: input.status },
    });
  }),
  /** Of all its keys together; what is left out stays, and null lifts a limit. */
  setLimits: operatorChange
    .input(SomeAccountLimits.extend(Account.shape))
    .mutation(async ({ ctx, input }) => {
      const before = await setAccountLimits(ctx.db, input);
      const { id, name, ...after } = await getAccount(ctx.db, before.id);
      await ctx.record({
        action: "account.set_limits",
        accountId: id,
        target: { id, name },
        before: accountLimitsOf(before),
        after: accountLimitsOf(after),
      });
    }),
  /** Answers what this month has then: it cannot fall below what is spent already. */
  setQuota: operatorChange
    .input(Account.extend({ quota: Quota, reason: Reason.optional() }))
    .mutation(async ({ ctx, input: { accountId, quota, reason } }) => {
      const { id, name, monthlyQuotaNanos } = await lockAccount(ctx.db, accountId);
      const period = ctx.runtime.billing.period();
      const month = await setMonthlyQuota(ctx.db, {
        accountId: id,
        period,
        quota,
        ...(reason && { reason }),
      });
      await ctx.record({
        action: "account.set_quota",
        accountId: id,
        target: { id, name },
        before: { quota: formatMoney(monthlyQuotaNanos) },
        after: { quota: formatMoney(quota), ...(reason && { reason }) },
      });
      return { thisMonth: formatMoney(month.quota) };
    }),
  topUp: operatorChange
    .input(Account.extend({ amount: Money, reason: Reason }))
    .mutation(async ({ ctx, input: { accountId, amount, reason } }) => {
      const { id, name } = await getAccount(ctx.db, accountId);
      const period = ctx.runtime.billing.period();
      const month = await topUp(ctx.db, { accountId: id, period, amount, reason });
      await ctx.record({
        action: "account.top_up",
        accountId: id,
        target: { id, name },
        after: { amount: formatMoney(amount), period, reason },
      });
      return { available: formatMoney(month.available) };
    }),
});
