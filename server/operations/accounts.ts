import { z } from "zod";
import {
  type Account,
  setCarriesTopups as carryTopups,
  createAccount,
  createUser,
  getAccount,
  setStoresResponses as keepResponses,
  lockAccount,
  renameAccount,
  setBuyer as saveBuyer,
  setAccountLimits,
  setAccountStatus,
  type UserEntry,
} from "@/server/access";
import { accountLimitsOf, Email, SomeAccountLimits } from "@/server/access/schema";
import type { Action } from "@/server/audit";
import { formatMoney, inDecimals } from "@/server/base/money";
import { topUp as addMoney, adjust as adjustMonth, setMonthlyQuota } from "@/server/billing";
import { looksLikeId } from "@/server/domain/ids";
import { invite } from "./invitation";
import { operation, type TxContext } from "./operation";
import { AccountId, Money, Once, Reason, Status } from "./schema";
import { Password } from "./security";

const Target = z.strictObject({ accountId: AccountId });

const Name = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .refine((name) => !looksLikeId(name), "a name must not look like an identifier");

const Quota = Money.refine((nanos) => nanos >= 0n).describe("The monthly quota, starting with this month");

/** Limits as they are sent. */
const Limits = SomeAccountLimits.extend({
  dailyLimit: Money.refine((nanos) => nanos >= 0n)
    .nullable()
    .optional()
    .describe(
      "The maximum that all its keys together can spend per day of the billing time zone; null: no limit",
    ),
  outageAllowance: Money.refine((nanos) => nanos >= 0n)
    .nullable()
    .optional()
    .describe(
      "The maximum that can be sold to it while the database is away, possibly beyond its money; null: the installation's",
    ),
});

const limitsOf = (account: Account) => inDecimals(accountLimitsOf(account));

const buyerOf = ({ buyerName, buyerAddress, buyerTaxNumber }: Account) => ({
  ...{ buyerName, buyerAddress, buyerTaxNumber },
});

/** An account's settings under the names of the operations' inputs, money as a decimal. */
export const view = (account: Account) => ({
  name: account.name,
  status: account.status,
  quota: formatMoney(account.monthlyQuotaNanos),
  ...limitsOf(account),
  storesResponses: account.storesResponses,
  carriesTopups: account.carriesTopupsSince !== null,
  priceGroupId: account.priceGroupId,
  ...buyerOf(account),
});

/** A limit that is not named is not set. */
const NewAccount = Limits.extend({ name: Name, quota: Quota });

const change = (action: Action, { id, name }: Pick<Account, "id" | "name">) => ({
  action,
  accountId: id,
  target: { id, name },
});

const open = ({ db }: TxContext, { quota, ...terms }: z.output<typeof NewAccount>) =>
  createAccount(db, { ...terms, monthlyQuotaNanos: quota });

const created = (account: Account, user?: UserEntry) => ({
  ...change("account.create", account),
  after: {
    name: account.name,
    quota: formatMoney(account.monthlyQuotaNanos),
    user: user?.email,
    ...limitsOf(account),
  },
});

/** Adds an account. Its first user, if one is named, sets a password by the link in the answer. */
export const create = operation({
  needs: "accounts.write",
  input: NewAccount.extend({
    email: Email.optional().describe(
      "The email of its first user, who gets a link to set a password by email, if email is set up; the response has it, too",
    ),
  }),
  run: async (call, { email, ...terms }) => {
    const account = await open(call, terms);
    const { id, name } = account;
    const { language } = call;
    const user = email && (await createUser(call.db, { accountId: id, email, language, password: null }));
    const hand = user ? await invite(call, user) : null;
    return {
      ...created(account, user || undefined),
      finish: async () => ({ id, name, invitation: hand && (await hand()) }),
    };
  },
});

/** For commands only: they may set a password, with which the first user can sign in at once. */
export const createByCommand = operation({
  needs: null,
  input: NewAccount.extend({
    user: z.strictObject({ email: Email, password: Password.optional() }).optional(),
  }),
  run: async (call, { user: first, ...terms }) => {
    const account = await open(call, terms);
    const { id } = account;
    if (!first) {
      return { ...created(account), result: { id, invitation: null } };
    }
    const { email, password = null } = first;
    const mustChangePassword = password !== null;
    const { language } = call;
    const user = await createUser(call.db, { accountId: id, email, language, password, mustChangePassword });
    const hand = password === null ? await invite(call, user) : null;
    return {
      ...created(account, user),
      finish: async () => ({ id, invitation: hand && (await hand()) }),
    };
  },
});

export const rename = operation({
  needs: "accounts.write",
  input: Target.extend({ name: Name }),
  run: async ({ db }, input) => {
    const { id, name: before } = await renameAccount(db, input);
    const { name } = input;
    return {
      ...change("account.rename", { id, name }),
      before: { name: before },
      after: { name },
      result: null,
    };
  },
});

export const setStatus = operation({
  needs: "accounts.switch",
  input: Target.extend({ status: Status }),
  run: async ({ db }, { accountId, status }) => {
    const before = await setAccountStatus(db, { accountId, status });
    return {
      ...change(status === "active" ? "account.enable" : "account.disable", before),
      before: { status: before.status },
      after: { status },
      result: null,
    };
  },
});

/** Limits on all its keys together; a limit that is left out stays, and null removes it. */
export const setLimits = operation({
  needs: "accounts.write",
  input: Limits.extend(Target.shape),
  run: async ({ db }, input) => {
    const before = await setAccountLimits(db, input);
    const after = await getAccount(db, before.id);
    return {
      ...change("account.set_limits", after),
      before: limitsOf(before),
      after: limitsOf(after),
      result: null,
    };
  },
});

/** While it is off, stored responses are not read; they are deleted when they expire. */
export const setStoresResponses = operation({
  needs: "responses.write",
  input: Target.extend({
    storesResponses: z
      .boolean()
      .describe(
        "Whether responses of the Responses API are stored, so that clients can continue them; otherwise `store` is false",
      ),
  }),
  run: async ({ db }, { accountId, storesResponses }) => {
    const before = await keepResponses(db, { accountId, storesResponses });
    return {
      ...change("account.set_stores_responses", before),
      before: { storesResponses: before.storesResponses },
      after: { storesResponses },
      result: null,
    };
  },
});

/** A line on an invoice. Empty text is none. */
const line = (most: number) =>
  z
    .string()
    .trim()
    .max(most)
    .regex(/^\P{Cc}*$/u)
    .transform((text) => text || null)
    .nullable()
    .optional();

/** The buyer on the account's invoices and statements, also on those of earlier months. */
export const setBuyer = operation({
  needs: "money.pay",
  input: Target.extend({
    buyerName: line(200).describe("The name on invoices; null: the name of the account"),
    buyerAddress: line(500).describe("The address on invoices, in one line"),
    buyerTaxNumber: line(100).describe("The tax number on invoices"),
  }),
  run: async ({ db }, input) => {
    const { before, after } = await saveBuyer(db, input);
    return {
      ...change("account.set_buyer", after),
      before: buyerOf(before),
      after: buyerOf(after),
      result: null,
    };
  },
});

/** Takes effect at the end of the current month. Carried-over top-ups are spent after the month's quota. */
export const setCarriesTopups = operation({
  needs: "money.write",
  input: Target.extend({
    carriesTopups: z
      .boolean()
      .describe("Whether top-ups left at the end of a month carry over to the next month"),
  }),
  run: async ({ db, period }, { accountId, carriesTopups }) => {
    const before = await carryTopups(db, { accountId, carriesTopups, period: period() });
    return {
      ...change("account.set_carries_topups", before),
      before: { carriesTopups: before.carriesTopupsSince !== null },
      after: { carriesTopups },
      result: null,
    };
  },
});

/** Returns this month's quota after the change, which cannot be below the amount already spent. */
export const setQuota = operation({
  needs: "money.write",
  input: Target.extend({ quota: Quota, reason: Reason.optional() }),
  run: async ({ db, period, recall }, { accountId, quota, reason }) => {
    // Escrowed money counts as frozen, and a month's quota cannot be below the frozen amount.
    await recall(accountId);
    const before = await lockAccount(db, accountId);
    const note = reason === undefined ? {} : { reason };
    const month = await setMonthlyQuota(db, { accountId, period: period(), quota, ...note });
    return {
      ...change("account.set_quota", before),
      before: { quota: formatMoney(before.monthlyQuotaNanos) },
      after: { quota: formatMoney(quota), ...note },
      result: { thisMonth: formatMoney(month.quota) },
    };
  },
});

/** Adds money to this month only. */
export const topUp = operation({
  needs: "money.write",
  input: Target.extend({ amount: Money, reason: Reason, once: Once }),
  run: async (call, { accountId, amount, reason, once: id }) => {
    const account = await getAccount(call.db, accountId);
    const period = call.period();
    const month = await addMoney(call.db, { id, accountId: account.id, period, amount, reason });
    return {
      ...change("account.top_up", account),
      after: { amount: formatMoney(amount), period, reason },
      result: { available: formatMoney(month.available) },
    };
  },
});

/** Credits this month only or, with an amount below zero, debits it, by no more than is left. */
export const adjust = operation({
  needs: "money.write",
  input: Target.extend({ amount: Money.describe("Negative: a debit"), reason: Reason, once: Once }),
  run: async ({ db, period, recall }, { accountId, amount, reason, once: id }) => {
    const account = await getAccount(db, accountId);
    // Escrowed money counts as frozen, which cannot be debited.
    await recall(account.id);
    const month = { accountId: account.id, period: period() };
    const { available } = await adjustMonth(db, { ...month, id, amount, reason });
    return {
      ...change("account.adjust", account),
      after: { amount: formatMoney(amount), period: month.period, reason },
      result: { available: formatMoney(available) },
    };
  },
});
