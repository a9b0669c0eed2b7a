import {
  type Account,
  createAccount,
  createUser,
  getAccount,
  lockAccount,
  setAccountLimits,
  setAccountStatus,
} from "@/server/access";
import { accountLimitsOf } from "@/server/access/schema";
import { type Balance, currentPeriod, getBalance, setMonthlyQuota, topUp } from "@/server/billing";
import type { Queryable } from "@/server/db";
import { formatMoney } from "@/server/money";
import { changing } from "./changing";
import { type Command, type Context, need, text, UsageError } from "./command";
import { limitFlags, limitsOf, limitsView } from "./limit-flags";
import { needMoney } from "./money-flag";
import { wayIn } from "./user";

const limits = ["requestsPerMinute", "tokensPerMinute", "maxConcurrent"] as const;

const period = ({ config }: Context) => currentPeriod(config.BILLING_TIMEZONE, new Date());

const view = (account: Account, balance: Balance) => ({
  id: account.id,
  name: account.name,
  status: account.status,
  ...limitsView(account, limits),
  period: balance.period,
  quota: formatMoney(balance.quota),
  topups: formatMoney(balance.topups),
  used: formatMoney(balance.used),
  frozen: formatMoney(balance.frozen),
  available: formatMoney(balance.available),
});

async function show(db: Queryable, context: Context, nameOrId: string) {
  const account = await getAccount(db, nameOrId);
  return view(account, await getBalance(db, { accountId: account.id, period: period(context) }));
}

const create: Command = {
  summary: "Create an account with a monthly quota and limits, and with --email its first console user",
  flags: {
    name: { type: "string", required: true },
    quota: { type: "string", required: true },
    email: { type: "string" },
    password: { type: "string" },
    ...limitFlags(limits),
  },
  run: async (context, values) => {
    const email = text(values, "email");
    const password = text(values, "password") ?? null;
    if (password !== null && email === undefined) {
      throw new UsageError("--password is that of the user with --email");
    }
    const set = limitsOf(values, limits);
    const wanted = { name: need(values, "name"), monthlyQuotaNanos: needMoney(values, "quota"), ...set };
    return await changing(context, "account.create", async (db) => {
      const { id, name } = await createAccount(db, wanted);
      const user =
        email === undefined
          ? null
          : await createUser(db, { accountId: id, email, password, mustChangePassword: password !== null });
      const way = user && (await wayIn(context, db, { id: user.id, password }));
      return {
        accountId: id,
        target: { id, name },
        after: { name, quota: formatMoney(wanted.monthlyQuotaNanos), user: email, ...set },
        result: { ...(await show(db, context, id)), ...way },
      };
    });
  },
};

const setStatus = (summary: string, status: Account["status"]): Command => ({
  summary,
  flags: { account: { type: "string", required: true } },
  run: async (context, values) => {
    const nameOrId = need(values, "account");
    return await changing(context, status === "active" ? "account.enable" : "account.disable", async (db) => {
      const { id } = await getAccount(db, nameOrId);
      const before = await setAccountStatus(db, { accountId: id, status });
      return {
        accountId: id,
        target: before,
        before: { status: before.status },
        after: { status },
        result: await show(db, context, id),
      };
    });
  },
});

const moneyFlags: Command["flags"] = {
  account: { type: "string", required: true },
  amount: { type: "string", required: true },
};

const setQuota: Command = {
  summary: "Set what each month grants, this one included",
  flags: moneyFlags,
  run: async (context, values) => {
    const nameOrId = need(values, "account");
    const quota = needMoney(values, "amount");
    return await changing(context, "account.set_quota", async (db) => {
      const { id } = await getAccount(db, nameOrId);
      const account = await lockAccount(db, id);
      const balance = await setMonthlyQuota(db, { accountId: account.id, period: period(context), quota });
      return {
        accountId: account.id,
        target: account,
        before: { quota: formatMoney(account.monthlyQuotaNanos) },
        after: { quota: formatMoney(quota) },
        result: view(account, balance),
      };
    });
  },
};

const setLimits: Command = {
  summary: "Limit all keys of an account together; none lifts a limit, and what is not named stays",
  flags: { account: { type: "string", required: true }, ...limitFlags(limits) },
  run: async (context, values) => {
    const nameOrId = need(values, "account");
    const set = limitsOf(values, limits);
    return await changing(context, "account.set_limits", async (db) => {
      const { id } = await getAccount(db, nameOrId);
      const before = await setAccountLimits(db, { accountId: id, ...set });
      return {
        accountId: id,
        target: before,
        before: accountLimitsOf(before),
        after: accountLimitsOf(await getAccount(db, id)),
        result: await show(db, context, id),
      };
    });
  },
};

const topup: Command = {
  summary: "Add money to this month",
  flags: moneyFlags,
  run: async (context, values) => {
    const nameOrId = need(values, "account");
    const amount = needMoney(values, "amount");
    const given = { period: period(context), reason: "operator command" };
    return await changing(context, "account.top_up", async (db) => {
      const account = await getAccount(db, nameOrId);
      const balance = await topUp(db, { accountId: account.id, amount, ...given });
      return {
        accountId: account.id,
        target: account,
        after: { amount: formatMoney(amount), ...given },
        result: view(account, balance),
      };
    });
  },
};

export const accountCommands: Record<string, Command> = {
  create,
  show: {
    summary: "Show an account and its month",
    flags: { account: { type: "string", required: true } },
    run: (context, values) => show(context.db.orm, context, need(values, "account")),
  },
  enable: setStatus("Let an account call again", "active"),
  disable: setStatus("Refuse every call of an account", "disabled"),
  "set-quota": setQuota,
  "set-limits": setLimits,
  topup,
};
