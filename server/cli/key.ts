import { type ApiKey, getAccountByNameOrId, listKeys } from "@/server/access";
import type { AccountId } from "@/server/base/ids";
import { formatMoney } from "@/server/base/money";
import { type KeyView, keyOperations } from "@/server/operations";
import { type Command, type Context, expiry, many, need, text, type Values } from "./command";
import { limitFlags, limitsOf, limitsView } from "./limit-flags";
import { money } from "./money-flag";
import { changing, operate } from "./operate";

const limits = ["requestsPerMinute", "maxConcurrent"] as const;

const view = (key: KeyView) => ({
  id: key.id,
  account: key.accountId,
  name: key.name,
  last_four: key.lastFour,
  status: key.status,
  allow_ips: key.allowedIps,
  ...limitsView(key, limits),
  models: key.models,
  monthly_cap: key.monthlyCap,
  expires_at: key.expiresAt?.toISOString() ?? null,
  created_at: key.createdAt.toISOString(),
});

const create: Command = {
  summary: "Issue a key; its secret is shown this once",
  flags: {
    account: { type: "string", required: true },
    name: { type: "string", required: true },
    "allow-ip": { type: "string", multiple: true },
    model: { type: "string", multiple: true },
    cap: { type: "string" },
    expires: { type: "string" },
    ...limitFlags(limits),
  },
  run: changing(async (context, values) => {
    const cap = money(values, "cap");
    const wanted = {
      name: need(values, "name"),
      allowedIps: many(values, "allow-ip"),
      models: many(values, "model"),
      monthlyCap: cap === undefined ? null : formatMoney(cap),
      expiresAt: expiry(values),
      ...limitsOf(values, limits),
    };
    const { id: accountId } = await getAccountByNameOrId(context.db, need(values, "account"));
    const { secret, ...key } = await operate(context, keyOperations.create, { ...wanted, accountId });
    const { id, name, ...rest } = view(key);
    return { id, name, secret, ...rest };
  }),
};

async function accountFilter({ db }: Context, values: Values): Promise<{ accountId?: AccountId }> {
  const account = text(values, "account");
  return account === undefined ? {} : { accountId: (await getAccountByNameOrId(db, account)).id };
}

/** Which key the flags name: of the account, where they name one, and else of any. */
const targetOf = async (context: Context, values: Values) => ({
  keyId: need(values, "key"),
  ...(await accountFilter(context, values)),
});

const target = { key: { type: "string", required: true }, account: { type: "string" } } as const;

const setStatus = (summary: string, status: ApiKey["status"]): Command => ({
  summary,
  flags: target,
  run: changing(async (context, values) => {
    const key = await targetOf(context, values);
    return view(await operate(context, keyOperations.setStatus, { ...key, status }));
  }),
});

const setLimits: Command = {
  summary: "Change a key's limits; none lifts one, and what is not named stays",
  flags: { ...target, ...limitFlags(limits) },
  run: changing(async (context, values) => {
    const terms = limitsOf(values, limits);
    const key = await targetOf(context, values);
    return view(await operate(context, keyOperations.update, { ...key, ...terms }));
  }),
};

const remove: Command = {
  summary: "Forget a key for good",
  flags: target,
  run: changing(async (context, values) =>
    view(await operate(context, keyOperations.remove, await targetOf(context, values))),
  ),
};

export const keyCommands: Record<string, Command> = {
  create,
  "set-limits": setLimits,
  list: {
    summary: "List keys, of one account or of all",
    flags: { account: { type: "string" } },
    run: async (context, values) =>
      (await listKeys(context.db, await accountFilter(context, values))).map((key) =>
        view(keyOperations.view(key)),
      ),
  },
  enable: setStatus("Let a key call again", "active"),
  disable: setStatus("Refuse a key's calls within a second, everywhere", "disabled"),
  delete: remove,
};
