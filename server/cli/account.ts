import { type Account, createAccount, createUser, getAccount, setAccountStatus } from "@/server/access";
import { type Balance, currentPeriod, getBalance, setMonthlyQuota, topUp } from "@/server/billing";
import { formatMoney } from "@/server/money";
import { type Command, type Context, need, text, UsageError, type Values } from "./command";
import { needMoney } from "./money-flag";

const period = ({ config }: Context) => currentPeriod(config.BILLING_TIMEZONE, new Date());

const view = (account: Account, balance: Balance) => ({
  id: account.id,
  name: account.name,
  status: account.status,
  period: balance.period,
  quota: formatMoney(balance.quota),
  topups: formatMoney(balance.topups),
  used: formatMoney(balance.used),
  frozen: formatMoney(balance.frozen),
  available: formatMoney(balance.available),
});

async function show(context: Context, nameOrId: string) {
  const account = await getAccount(context.db.orm, nameOrId);
  return view(account, await getBalance(context.db.sql, { accountId: account.id, period: period(context) }));
}

const create: Command = {
  summary: "Create an account with a monthly quota, and a console user for it",
  flags: {
    name: { type: "string", required: true },
    quota: { type: "string", required: true },
    email: { type: "string" },
    password: { type: "string" },
  },
  run: async (context, values) => {
    const email = text(values, "email");
    const password = text(values, "password");
    if ((email === undefined) !== (password === undefined)) {
      throw new UsageError("--email and --password go together");
    }
    const { db } = context;
    const wanted = { name: need(values, "name"), monthlyQuotaNanos: needMoney(values, "quota") };
    const account = await db.orm.transaction(async (transaction) => {
      const created = await createAccount(transaction, wanted);
      if (email !== undefined && password !== undefined) {
        await createUser(transaction, { accountId: created.id, email, password });
      }
      return created;
    });
    return await show(context, account.id);
  },
};

const setStatus = (summary: string, status: Account["status"]): Command => ({
  summary,
  flags: { account: { type: "string", required: true } },
  run: async (context, values) => {
    const account = await getAccount(context.db.orm, need(values, "account"));
    await setAccountStatus(context.db.orm, { accountId: account.id, status });
    return await show(context, account.id);
  },
});

const changeMoney = (
  summary: string,
  change: (context: Context, accountId: string, values: Values) => Promise<Balance>,
): Command => ({
  summary,
  flags: { account: { type: "string", required: true }, amount: { type: "string", required: true } },
  run: async (context, values) => {
    const account = await getAccount(context.db.orm, need(values, "account"));
    return view(account, await change(context, account.id, values));
  },
});

export const accountCommands: Record<string, Command> = {
  create,
  show: {
    summary: "Show an account and its month",
    flags: { account: { type: "string", required: true } },
    run: (context, values) => show(context, need(values, "account")),
  },
  enable: setStatus("Let an account call again", "active"),
  disable: setStatus("Refuse every call of an account", "disabled"),
  "set-quota": changeMoney("Set what each month grants, this one included", (context, accountId, values) =>
    setMonthlyQuota(context.db.sql, {
      accountId,
      period: period(context),
      quota: needMoney(values, "amount"),
    }),
  ),
  topup: changeMoney("Add money to this month", (context, accountId, values) =>
    topUp(context.db.sql, {
      accountId,
      period: period(context),
      amount: needMoney(values, "amount"),
      reason: "operator command",
    }),
  ),
};
