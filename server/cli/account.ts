import { type Account, getAccountByNameOrId } from "@/server/access";
import { formatMoney, inDecimals } from "@/server/base/money";
import { currentPeriod, getBalance } from "@/server/billing";
import { accountOperations } from "@/server/operations";
import { type Command, type Context, need, text, UsageError, type Values } from "./command";
import { limitFlags, limitsOf, limitsView } from "./limit-flags";
import { needMoney } from "./money-flag";
import { changing, operate } from "./operate";
import { wayIn } from "./user";

const limits = ["requestsPerMinute", "tokensPerMinute", "maxConcurrent"] as const;

const target: Command["flags"] = { account: { type: "string", required: true } };

/** Which account the flags name. Throws Refusal. */
const named = async ({ db }: Context, values: Values) =>
  (await getAccountByNameOrId(db, need(values, "account"))).id;

/** An account and its month. */
async function show({ db, config }: Context, nameOrId: string) {
  const account = await getAccountByNameOrId(db, nameOrId);
  const period = currentPeriod(config.BILLING_TIMEZONE, new Date());
  const balance = await getBalance(db, { accountId: account.id, period });
  return {
    id: account.id,
    name: account.name,
    status: account.status,
    ...limitsView(account, limits),
    ...inDecimals(balance),
  };
}

function firstUser(values: Values) {
  const [email, password] = [text(values, "email"), text(values, "password")];
  if (password !== undefined && email === undefined) {
    throw new UsageError("--password is that of the user with --email");
  }
  return email === undefined ? undefined : { email: email.trim(), password };
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
  run: changing(async (context, values) => {
    const user = firstUser(values);
    const { id, invitation } = await operate(context, accountOperations.createByCommand, {
      name: need(values, "name"),
      quota: formatMoney(needMoney(values, "quota")),
      user,
      ...limitsOf(values, limits),
    });
    return { ...(await show(context, id)), ...(user && wayIn(invitation)) };
  }),
};

const setStatus = (summary: string, status: Account["status"]): Command => ({
  summary,
  flags: target,
  run: changing(async (context, values) => {
    const accountId = await named(context, values);
    await operate(context, accountOperations.setStatus, { accountId, status });
    return await show(context, accountId);
  }),
});

const rename: Command = {
  summary: "Give an account another name",
  flags: { ...target, name: { type: "string", required: true } },
  run: changing(async (context, values) => {
    const accountId = await named(context, values);
    await operate(context, accountOperations.rename, { accountId, name: need(values, "name") });
    return await show(context, accountId);
  }),
};

const moneyFlags: Command["flags"] = {
  ...target,
  amount: { type: "string", required: true },
  reason: { type: "string" },
};

const setQuota: Command = {
  summary: "Set what each month grants, this one included",
  flags: moneyFlags,
  run: changing(async (context, values) => {
    const quota = formatMoney(needMoney(values, "amount"));
    const accountId = await named(context, values);
    await operate(context, accountOperations.setQuota, { accountId, quota, reason: text(values, "reason") });
    return await show(context, accountId);
  }),
};

const setLimits: Command = {
  summary: "Limit all keys of an account together; none lifts a limit, and what is not named stays",
  flags: { ...target, ...limitFlags(limits) },
  run: changing(async (context, values) => {
    const set = limitsOf(values, limits);
    const accountId = await named(context, values);
    await operate(context, accountOperations.setLimits, { accountId, ...set });
    return await show(context, accountId);
  }),
};

const topup: Command = {
  summary: "Add money to this month",
  flags: moneyFlags,
  run: changing(async (context, values) => {
    const amount = formatMoney(needMoney(values, "amount"));
    const accountId = await named(context, values);
    const reason = text(values, "reason") ?? "operator command";
    await operate(context, accountOperations.topUp, { accountId, amount, reason });
    return await show(context, accountId);
  }),
};

export const accountCommands: Record<string, Command> = {
  create,
  show: {
    summary: "Show an account and its month",
    flags: target,
    run: (context, values) => show(context, need(values, "account")),
  },
  rename,
  enable: setStatus("Let an account call again", "active"),
  disable: setStatus("Refuse every call of an account", "disabled"),
  "set-quota": setQuota,
  "set-limits": setLimits,
  topup,
};
