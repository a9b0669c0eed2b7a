import { getAccountByNameOrId, listManagementKeys, type ManagementKey } from "@/server/access";
import type { AccountId } from "@/server/base/ids";
import { managementKeyOperations } from "@/server/operations";
import { type Command, type Context, expiry, need, text, type Values } from "./command";
import { changing, operate } from "./operate";

const view = (key: ManagementKey) => ({
  id: key.id,
  name: key.name,
  account: key.accountId,
  scope: key.isReadOnly ? "read" : "write",
  last_four: key.lastFour,
  created_by: key.createdBy,
  expires_at: key.expiresAt?.toISOString() ?? null,
  last_used_at: key.lastUsedAt?.toISOString() ?? null,
  created_at: key.createdAt.toISOString(),
});

async function accountOf({ db }: Context, values: Values): Promise<AccountId | null> {
  const account = text(values, "account");
  return account === undefined ? null : (await getAccountByNameOrId(db, account)).id;
}

const create: Command = {
  summary:
    "Issue a key of the admin API, for an account or for the installation; its secret is shown this once",
  flags: {
    name: { type: "string", required: true },
    account: { type: "string" },
    "read-only": { type: "boolean" },
    expires: { type: "string" },
  },
  run: changing(async (context, values) => {
    const { id, secret } = await operate(context, managementKeyOperations.create, {
      name: need(values, "name"),
      accountId: await accountOf(context, values),
      isReadOnly: values["read-only"] === true,
      expiresAt: expiry(values),
    });
    return { id, secret };
  }),
};

export const managementKeyCommands: Record<string, Command> = {
  create,
  list: {
    summary: "List the installation's management keys, or an account's",
    flags: { account: { type: "string" } },
    run: async (context, values) =>
      (await listManagementKeys(context.db, await accountOf(context, values))).map(view),
  },
  revoke: {
    summary: "Forget a management key for good: it is refused from now on",
    flags: { key: { type: "string", required: true } },
    run: changing(async (context, values) =>
      view(await operate(context, managementKeyOperations.revoke, { managementKeyId: need(values, "key") })),
    ),
  },
};
