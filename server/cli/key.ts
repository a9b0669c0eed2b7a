import { type ApiKey, getAccountByNameOrId, listKeys } from "@/server/access";
import { type KeyView, keyOperations } from "@/server/operations";
import { accountOf } from "./account-flag";
import {
  type Command,
  type CommandContext,
  expiry,
  type FlagValues,
  many,
  need,
  seconds,
  yesOrNo,
} from "./command";
import { limitFlags, limitsOf } from "./limit-flags";
import { moneyOrNone } from "./money-flag";
import { changing, operate } from "./operate";
import { shown } from "./render";

const limits = ["requestsPerMinute", "maxConcurrent"] as const;

/** The flag of each cap. */
const caps = { monthlyCap: "cap", weeklyCap: "weekly-cap", dailyCap: "daily-cap" } as const;

const termFlags: Command["flags"] = {
  ...limitFlags(limits),
  ...Object.fromEntries(Object.values(caps).map((flag) => [flag, { type: "string" as const }])),
  "tells-cost": { type: "string" },
  "caches-prompts": { type: "string" },
};

const capsOf = (values: FlagValues): { [Name in keyof typeof caps]?: string | null } =>
  Object.fromEntries(
    Object.entries(caps).flatMap(([name, flag]) => {
      const cap = moneyOrNone(values, flag);
      return cap === undefined ? [] : [[name, cap]];
    }),
  );

const termsOf = (values: FlagValues) => {
  const tellsCost = yesOrNo(values, "tells-cost");
  const cachesPrompts = yesOrNo(values, "caches-prompts");
  return {
    ...limitsOf(values, limits),
    ...capsOf(values),
    ...(tellsCost !== undefined && { tellsCost }),
    ...(cachesPrompts !== undefined && { cachesPrompts }),
  };
};

const view = (key: KeyView) =>
  shown(key, { accountId: "account", allowedIps: "allow_ips", requestsPerMinute: "rpm" });

/** A new key, with its secret next to its name. */
const newKey = ({ secret, ...key }: KeyView & { secret: string }) => {
  const { id, name, ...rest } = view(key);
  return { id, name, secret, ...rest };
};

const create: Command = {
  summary: "Create an API key; its secret is shown only once",
  flags: {
    account: { type: "string", required: true },
    name: { type: "string", required: true },
    "allow-ip": { type: "string", multiple: true },
    model: { type: "string", multiple: true },
    expires: { type: "string" },
    ...termFlags,
  },
  run: changing(async (context, values) => {
    const settings = {
      name: need(values, "name"),
      allowedIps: many(values, "allow-ip"),
      models: many(values, "model"),
      expiresAt: expiry(values),
      ...termsOf(values),
    };
    const { id: accountId } = await getAccountByNameOrId(context.db, need(values, "account"));
    return newKey(await operate(context, keyOperations.create, { ...settings, accountId }));
  }),
};

/** The key that the flags name: one of the account if they name an account, else any. */
const targetOf = async (context: CommandContext, values: FlagValues) => ({
  keyId: need(values, "key"),
  accountId: await accountOf(context, values),
});

const keyFlags: Command["flags"] = {
  key: { type: "string", required: true },
  account: { type: "string" },
};

type KeyTarget = Awaited<ReturnType<typeof targetOf>>;

/** A command that changes one key and prints the result. */
const changeOf = (
  summary: string,
  act: (context: CommandContext, key: KeyTarget, values: FlagValues) => Promise<object>,
  flags: Command["flags"] = {},
): Command => ({
  summary,
  flags: { ...keyFlags, ...flags },
  run: changing(async (context, values) => act(context, await targetOf(context, values), values)),
});

/** A command that changes one key and returns it afterwards. */
const change = (
  summary: string,
  act: (context: CommandContext, key: KeyTarget, values: FlagValues) => Promise<KeyView>,
  flags: Command["flags"] = {},
) => changeOf(summary, async (context, key, values) => view(await act(context, key, values)), flags);

/** Changes one key, or several in one transaction. Returns the key, or the list of keys. */
const setStatus = (summary: string, status: ApiKey["status"]): Command => ({
  summary,
  flags: { ...keyFlags, key: { type: "string", required: true, multiple: true } },
  run: changing(async (context, values) => {
    const accountId = await accountOf(context, values);
    const [keyId = "", ...others] = many(values, "key");
    if (others.length === 0) {
      return view(await operate(context, keyOperations.setStatus, { keyId, accountId, status }));
    }
    const keyIds = [keyId, ...others];
    return (await operate(context, keyOperations.setStatuses, { keyIds, accountId, status })).map(view);
  }),
});

/** How long the old secret of a rotated key stays valid by default. */
const KEPT_SECONDS = 3_600;

export const keyCommands: Record<string, Command> = {
  create,
  "set-limits": change(
    "Change a key's limits and caps, and whether responses include the cost and prompts are cached; `none` removes a limit, and settings without a flag stay the same",
    (context, key, values) => operate(context, keyOperations.update, { ...key, ...termsOf(values) }),
    termFlags,
  ),
  rotate: changeOf(
    "Rotate the secret of a key; the new one is shown only once, and the old one works for another hour or for --keep-old (0: revoke it now)",
    async (context, key, values) => {
      const keepOldSeconds = seconds(values, "keep-old") ?? KEPT_SECONDS;
      return newKey(await operate(context, keyOperations.rotate, { ...key, keepOldSeconds }));
    },
    { "keep-old": { type: "string" } },
  ),
  "retire-secret": change("Revoke the previous secret of a rotated key within a second", (context, key) =>
    operate(context, keyOperations.retireSecret, key),
  ),
  duplicate: changeOf(
    "Duplicate a key with the same settings; the new secret is shown only once",
    async (context, key, values) =>
      newKey(await operate(context, keyOperations.duplicate, { ...key, name: need(values, "name") })),
    { name: { type: "string", required: true } },
  ),
  list: {
    summary: "List keys of one account or of all",
    flags: { account: { type: "string" } },
    run: async (context, values) =>
      (await listKeys(context.db, { accountId: await accountOf(context, values) })).map((key) =>
        view(keyOperations.view(key)),
      ),
  },
  enable: setStatus("Enable a key, or several (--key, --key)", "active"),
  disable: setStatus("Disable a key, or several (--key, --key), within a second", "disabled"),
  delete: change("Delete a key permanently", (context, key) => operate(context, keyOperations.remove, key)),
};
