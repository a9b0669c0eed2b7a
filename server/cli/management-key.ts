import { listManagementKeys, type ManagementKey } from "@/server/access";
import { managementKeyOperations } from "@/server/operations";
import { accountOf } from "./account-flag";
import { type Command, type CommandContext, expiry, type FlagValues, need } from "./command";
import { changing, operate } from "./operate";
import { shown } from "./render";

const view = ({ isReadOnly, lastAddress: _, ...key }: ManagementKey) => ({
  ...shown(key, { accountId: "account" }),
  scope: isReadOnly ? "read" : "write",
});

/** The account of the key; null: the installation. */
const whose = async (context: CommandContext, values: FlagValues) =>
  (await accountOf(context, values)) ?? null;

const create: Command = {
  summary:
    "Create a key for the admin API, for an account or for the installation; its secret is shown only once",
  flags: {
    name: { type: "string", required: true },
    account: { type: "string" },
    "read-only": { type: "boolean" },
    expires: { type: "string" },
  },
  run: changing(async (context, values) => {
    const { id, secret } = await operate(context, managementKeyOperations.create, {
      name: need(values, "name"),
      accountId: await whose(context, values),
      isReadOnly: values["read-only"] === true,
      expiresAt: expiry(values),
    });
    return { id, secret };
  }),
};

export const managementKeyCommands: Record<string, Command> = {
  create,
  list: {
    summary: "List the management keys of the installation or of an account",
    flags: { account: { type: "string" } },
    run: async (context, values) =>
      (await listManagementKeys(context.db, await whose(context, values))).map(view),
  },
  revoke: {
    summary: "Revoke a management key permanently",
    flags: { key: { type: "string", required: true } },
    run: changing(async (context, values) =>
      view(await operate(context, managementKeyOperations.revoke, { managementKeyId: need(values, "key") })),
    ),
  },
};
