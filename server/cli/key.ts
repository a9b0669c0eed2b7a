import { type ApiKey, deleteKey, getAccount, issueKey, listKeys, setKeyStatus } from "@/server/access";
import {
  type Command,
  type Context,
  many,
  need,
  text,
  UsageError,
  type Values,
  wholeNumber,
} from "./command";

const view = (key: ApiKey) => ({
  id: key.id,
  account: key.accountId,
  name: key.name,
  last_four: key.lastFour,
  status: key.status,
  allow_ips: key.allowedIps,
  rpm: key.requestsPerMinute,
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
    rpm: { type: "string" },
  },
  run: async ({ db, secrets }, values) => {
    const wanted = {
      name: need(values, "name"),
      allowedIps: many(values, "allow-ip"),
      requestsPerMinute: wholeNumber(values, "rpm", { min: 1, max: 1_000_000 }) ?? null,
      expiresAt: expiry(values),
    };
    const { id: accountId } = await getAccount(db.orm, need(values, "account"));
    const { secret, ...key } = await issueKey(db.orm, { ...wanted, accountId }, secrets.keyPepper);
    const { id, name, ...rest } = view(key);
    return { id, name, secret, ...rest };
  },
};

async function accountFilter({ db }: Context, values: Values): Promise<{ accountId?: string }> {
  const account = text(values, "account");
  return account === undefined ? {} : { accountId: (await getAccount(db.orm, account)).id };
}

const onKey = (
  summary: string,
  act: (context: Context, keyId: string, filter: { accountId?: string }) => Promise<ApiKey>,
): Command => ({
  summary,
  flags: { key: { type: "string", required: true }, account: { type: "string" } },
  run: async (context, values) =>
    view(await act(context, need(values, "key"), await accountFilter(context, values))),
});

export const keyCommands: Record<string, Command> = {
  create,
  list: {
    summary: "List keys, of one account or of all",
    flags: { account: { type: "string" } },
    run: async (context, values) =>
      (await listKeys(context.db.orm, await accountFilter(context, values))).map(view),
  },
  enable: onKey("Let a key call again", ({ db }, keyId, filter) =>
    setKeyStatus(db.orm, { keyId, ...filter, status: "active" }),
  ),
  disable: onKey("Refuse a key's calls within a second, everywhere", ({ db }, keyId, filter) =>
    setKeyStatus(db.orm, { keyId, ...filter, status: "disabled" }),
  ),
  delete: onKey("Forget a key for good", ({ db }, keyId, filter) => deleteKey(db.orm, { keyId, ...filter })),
};
