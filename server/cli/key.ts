import {
  type ApiKey,
  deleteKey,
  getAccount,
  issueKey,
  listKeys,
  lockKey,
  setKeyStatus,
  updateKey,
} from "@/server/access";
import type { Action } from "@/server/audit";
import type { Queryable } from "@/server/db";
import { formatMoney } from "@/server/money";
import { changing } from "./changing";
import { type Command, type Context, many, need, text, UsageError, type Values } from "./command";
import { limitFlags, limitsOf, limitsView } from "./limit-flags";

const limits = ["requestsPerMinute", "maxConcurrent"] as const;

const view = (key: ApiKey) => ({
  id: key.id,
  account: key.accountId,
  name: key.name,
  last_four: key.lastFour,
  status: key.status,
  allow_ips: key.allowedIps,
  ...limitsView(key, limits),
  models: key.models,
  monthly_cap: key.monthlyCap === null ? null : formatMoney(key.monthlyCap),
  expires_at: key.expiresAt?.toISOString() ?? null,
  created_at: key.createdAt.toISOString(),
});

function expiry(values: Values): Date | null {
  const value = text(values, "expires");
  if (value === undefined) {
    return null;
  }
  const moment = new Date(value);
  if (!/^\d{4}-\d{2}-\d{2}/.test(value) || Number.isNaN(moment.getTime())) {
    throw new UsageError("--expires must be an ISO 8601 moment such as 2027-01-31T00:00:00Z");
  }
  return moment;
}

const create: Command = {
  summary: "Issue a key; its secret is shown this once",
  flags: {
    account: { type: "string", required: true },
    name: { type: "string", required: true },
    "allow-ip": { type: "string", multiple: true },
    expires: { type: "string" },
    ...limitFlags(limits),
  },
  run: async (context, values) => {
    const wanted = {
      name: need(values, "name"),
      allowedIps: many(values, "allow-ip"),
      ...limitsOf(values, limits),
      expiresAt: expiry(values),
    };
    return await changing(context, "key.create", async (db) => {
      const { id: accountId } = await getAccount(db, need(values, "account"));
      const { secret, ...key } = await issueKey(db, { ...wanted, accountId }, context.secrets.keyPepper);
      const { id, name, ...rest } = view(key);
      return { accountId, target: key, after: view(key), result: { id, name, secret, ...rest } };
    });
  },
};

async function accountFilter({ db }: Context, values: Values): Promise<{ accountId?: string }> {
  const account = text(values, "account");
  return account === undefined ? {} : { accountId: (await getAccount(db.orm, account)).id };
}

type KeyChange = {
  action: Action;
  /** Answers the key as it is then. */
  change: (db: Queryable, key: { keyId: string; accountId?: string }) => Promise<ApiKey>;
};

const onKey = (summary: string, { action, change }: KeyChange): Command => ({
  summary,
  flags: { key: { type: "string", required: true }, account: { type: "string" } },
  run: async (context, values) => {
    const target = { keyId: need(values, "key"), ...(await accountFilter(context, values)) };
    return await changing(context, action, async (db) => {
      const before = await lockKey(db, target);
      const after = await change(db, target);
      return {
        accountId: after.accountId,
        target: after,
        before: view(before),
        ...(action !== "key.delete" && { after: view(after) }),
        result: view(after),
      };
    });
  },
});

const setStatus =
  (status: ApiKey["status"]): KeyChange["change"] =>
  (db, key) =>
    setKeyStatus(db, { ...key, status });

const setLimits: Command = {
  summary: "Change a key's limits; none lifts one, and what is not named stays",
  flags: {
    key: { type: "string", required: true },
    account: { type: "string" },
    ...limitFlags(limits),
  },
  run: async (context, values) => {
    const target = { keyId: need(values, "key"), ...(await accountFilter(context, values)) };
    const terms = limitsOf(values, limits);
    return await changing(context, "key.update", async (db) => {
      const before = await lockKey(db, target);
      const after = await updateKey(db, { ...target, ...terms });
      const { accountId } = after;
      return { accountId, target: after, before: view(before), after: view(after), result: view(after) };
    });
  },
};

export const keyCommands: Record<string, Command> = {
  create,
  "set-limits": setLimits,
  list: {
    summary: "List keys, of one account or of all",
    flags: { account: { type: "string" } },
    run: async (context, values) =>
      (await listKeys(context.db.orm, await accountFilter(context, values))).map(view),
  },
  enable: onKey("Let a key call again", { action: "key.enable", change: setStatus("active") }),
  disable: onKey("Refuse a key's calls within a second, everywhere", {
    action: "key.disable",
    change: setStatus("disabled"),
  }),
  delete: onKey("Forget a key for good", { action: "key.delete", change: deleteKey }),
};
