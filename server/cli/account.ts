import { type Account, getAccountByNameOrId } from "@/server/access";
import { inDecimals } from "@/server/base/money";
import { getBalance } from "@/server/billing";
import { patient } from "@/server/db";
import type { AccountId } from "@/server/domain/ids";
import { currentPeriod } from "@/server/domain/period";
import { parseOrRefuse } from "@/server/domain/refusal";
import { accountOperations, erasureOperations, priceGroupOperations } from "@/server/operations";
import { accountQueries, wholeStatementQueries } from "@/server/queries";
import { accountMonths } from "./account-months";
import { type Command, type CommandContext, type FlagValues, need, text, UsageError } from "./command";
import { limitFlags, limitsOf } from "./limit-flags";
import { moneyOrNone, needMoney } from "./money-flag";
import { changing, operate } from "./operate";
import { shownWhole } from "./render";
import { wayIn } from "./user";
import { withRooms } from "./with-rooms";

const limits = ["requestsPerMinute", "tokensPerMinute", "maxConcurrent"] as const;

const allLimitFlags: Command["flags"] = {
  ...limitFlags(limits),
  "daily-limit": { type: "string" },
  "outage-allowance": { type: "string" },
};

const allLimitsOf = (values: FlagValues) => {
  const dailyLimit = moneyOrNone(values, "daily-limit");
  const outageAllowance = moneyOrNone(values, "outage-allowance");
  return {
    ...limitsOf(values, limits),
    ...(dailyLimit !== undefined && { dailyLimit }),
    ...(outageAllowance !== undefined && { outageAllowance }),
  };
};

const target: Command["flags"] = { account: { type: "string", required: true } };

/** The account that the flags name. Throws Refusal. */
const named = async ({ db }: CommandContext, values: FlagValues) =>
  (await getAccountByNameOrId(db, need(values, "account"))).id;

/** An account with its current month. */
async function show({ db, config }: CommandContext, nameOrId: string) {
  const account = await getAccountByNameOrId(db, nameOrId);
  const period = currentPeriod(config.BILLING_TIMEZONE, new Date());
  const balance = await getBalance(db, { accountId: account.id, period });
  return {
    id: account.id,
    name: account.name,
    status: account.status,
    rpm: account.requestsPerMinute,
    tpm: account.tokensPerMinute,
    max_concurrent: account.maxConcurrent,
    ...inDecimals({ daily_limit: account.dailyLimit, outage_allowance: account.outageAllowance }),
    stores_responses: account.storesResponses,
    carries_topups: account.carriesTopupsSince !== null,
    price_group: account.priceGroupId,
    ...inDecimals(balance),
  };
}

function firstUser(values: FlagValues) {
  const [email, password] = [text(values, "email"), text(values, "password")];
  if (password !== undefined && email === undefined) {
    throw new UsageError("--password requires --email");
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
    ...allLimitFlags,
  },
  run: changing(async (context, values) => {
    const user = firstUser(values);
    const { id, invitation } = await operate(context, accountOperations.createByCommand, {
      name: need(values, "name"),
      quota: needMoney(values, "quota"),
      user,
      ...allLimitsOf(values),
    });
    return { ...(await show(context, id)), ...(user && wayIn(invitation)) };
  }),
};

/** A command that changes an account and returns it afterwards. */
const change = (
  summary: string,
  act: (context: CommandContext, accountId: AccountId, values: FlagValues) => Promise<unknown>,
  flags: Command["flags"] = {},
): Command => ({
  summary,
  flags: { ...target, ...flags },
  run: changing(async (context, values) => {
    const accountId = await named(context, values);
    await act(context, accountId, values);
    return await show(context, accountId);
  }),
});

const setStatus = (summary: string, status: Account["status"]) =>
  change(summary, (context, accountId) =>
    operate(context, accountOperations.setStatus, { accountId, status }),
  );

const moneyFlags: Command["flags"] = {
  amount: { type: "string", required: true },
  reason: { type: "string" },
};

export const accountCommands: Record<string, Command> = {
  create,
  show: {
    summary: "Show an account and its month",
    flags: target,
    run: (context, values) => show(context, need(values, "account")),
  },
  statement: {
    summary: "Show the statement of a month: balance, charges and credits",
    flags: { ...target, month: { type: "string", required: true } },
    run: (context, values) =>
      withRooms(context, async (rooms) => {
        const { config, secrets, database: db } = context;
        const month = parseOrRefuse(wholeStatementQueries.get.input, {
          accountId: await named(context, values),
          period: need(values, "month"),
        });
        return shownWhole(
          await wholeStatementQueries.get.read({ ...rooms, config, secrets, db }, month, "operator"),
        );
      }),
  },
  months: accountMonths,
  rename: change(
    "Rename an account",
    (context, accountId, values) =>
      operate(context, accountOperations.rename, { accountId, name: need(values, "name") }),
    { name: { type: "string", required: true } },
  ),
  enable: setStatus("Enable an account", "active"),
  disable: setStatus("Disable an account: its requests return 403", "disabled"),
  "set-quota": change(
    "Set the monthly quota, starting with this month",
    (context, accountId, values) => {
      const quota = needMoney(values, "amount");
      return operate(context, accountOperations.setQuota, {
        accountId,
        quota,
        reason: text(values, "reason"),
      });
    },
    moneyFlags,
  ),
  "set-limits": change(
    "Set limits for all keys of an account together; `none` removes a limit, and limits without a flag stay the same",
    (context, accountId, values) =>
      operate(context, accountOperations.setLimits, { accountId, ...allLimitsOf(values) }),
    allLimitFlags,
  ),
  "keep-responses": change(
    "Store an account's responses so that clients can continue them; --off: stop storing them",
    (context, accountId, values) =>
      operate(context, accountOperations.setStoresResponses, {
        accountId,
        storesResponses: values.off !== true,
      }),
    { off: { type: "boolean" } },
  ),
  "carry-topups": change(
    "Carry an account's unused top-ups over to the next month; --off: let them expire",
    (context, accountId, values) =>
      operate(context, accountOperations.setCarriesTopups, {
        accountId,
        carriesTopups: values.off !== true,
      }),
    { off: { type: "boolean" } },
  ),
  "set-buyer": change(
    "Set the buyer on an account's invoices; a part without a flag stays the same, and `none` removes it",
    (context, accountId, values) => {
      const part = (flag: string) => (values[flag] === "none" ? null : text(values, flag));
      return operate(context, accountOperations.setBuyer, {
        ...{
          accountId,
          buyerName: part("name"),
          buyerAddress: part("address"),
          buyerTaxNumber: part("tax-id"),
        },
      });
    },
    { name: { type: "string" }, address: { type: "string" }, "tax-id": { type: "string" } },
  ),
  "set-price-group": change(
    "Assign an account to a price group for new requests; `none`: standard prices",
    async (context, accountId, values) => {
      const group = need(values, "group");
      const priceGroupId = group === priceGroupOperations.NO_GROUP ? null : group;
      return await operate(context, priceGroupOperations.assign, { accountId, priceGroupId });
    },
    { group: { type: "string", required: true } },
  ),
  "running-out": {
    summary: "List accounts projected to run out of quota this month, soonest first",
    flags: {},
    run: (context) =>
      withRooms(context, async (rooms) => {
        const { config, secrets, database: db } = context;
        const rows = await accountQueries.runningOut.read({ ...rooms, config, secrets, db }, {}, "operator");
        return rows.map(shownWhole);
      }),
  },
  erase: {
    summary: "Erase the personal data of a disabled account permanently; the ledger stays",
    flags: target,
    run: async (context, values) => {
      const accountId = await named(context, values);
      // An account may have a great number of calls and stored texts.
      const door = { ...context, db: patient(context.database) };
      await operate(door, erasureOperations.eraseCustomer, { accountId });
      return { erased: accountId };
    },
  },
  topup: change(
    "Add money to the current month",
    (context, accountId, values) => {
      const reason = text(values, "reason") ?? "operator command";
      return operate(context, accountOperations.topUp, {
        accountId,
        amount: needMoney(values, "amount"),
        reason,
      });
    },
    moneyFlags,
  ),
  adjust: change(
    "Credit the current month; --debit: debit it, up to the available amount",
    (context, accountId, values) => {
      const amount = needMoney(values, "amount");
      return operate(context, accountOperations.adjust, {
        accountId,
        amount: values.debit === true ? `-${amount}` : amount,
        reason: need(values, "reason"),
      });
    },
    {
      amount: { type: "string", required: true },
      reason: { type: "string", required: true },
      debit: { type: "boolean" },
    },
  ),
};
