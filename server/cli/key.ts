import { type ApiKey, getAccountByNameOrId, listKeys } from "@/server/access";
import { type KeyView, keyOperations } from "@/server/operations";
import { accountOf } from "./account-flag";
import { type Command, type Context, expiry, many, need, type Values, yesOrNo } from "./command";
import { limitFlags, limitsOf } from "./limit-flags";
import { money } from "./money-flag";
import { changing, operate } from "./operate";
import { shown } from "./render";

const limits = ["requestsPerMinute", "maxConcurrent"] as const;

const termFlags: Command["flags"] = { ...limitFlags(limits), "tells-cost": { type: "string" } };

const termsOf = (values: Values) => {
  const tellsCost = yesOrNo(values, "tells-cost");
  return { ...limitsOf(values, limits), ...(tellsCost !== undefined && { tellsCost }) };
};

const view = (key: KeyView) =>
  shown(key, { accountId: "account", allowedIps: "allow_ips", requestsPerMinute: "rpm" });

const create: Command = {
  summary: "Issue a key; its secret is shown this once",
  flags: {
    account: { type: "string", required: true },
    name: { type: "string", required: true },
    "allow-ip": { type: "string", multiple: true },
    model: { type: "string", multiple: true },
    cap: { type: "string" },
    expires: { type: "string" },
    ...termFlags,
  },
  run: changing(async (context, values) => {
    const wanted = {
      name: need(values, "name"),
      allowedIps: many(values, "allow-ip"),
      models: many(values, "model"),
      monthlyCap: money(values, "cap") ?? null,
      expiresAt: expiry(values),
      ...termsOf(values),
    };
    const { id: accountId } = await getAccountByNameOrId(context.db, need(values, "account"));
    const { secret, ...key } = await operate(context, keyOperations.create, { ...wanted, accountId });
    const { id, name, ...rest } = view(key);
    return { id, name, secret, ...rest };
  }),
};

/** Which key the flags name: of the account, where they name one, and else of any. */
const targetOf = async (context: Context, values: Values) => ({
  keyId: need(values, "key"),
  accountId: await accountOf(context, values),
});

/** Answers the key as it is then. */
const change = (
  summary: string,
  act: (context: Context, key: Awaited<ReturnType<typeof targetOf>>, values: Values) => Promise<KeyView>,
  flags: Command["flags"] = {},
): Command => ({
  summary,
  flags: { key: { type: "string", required: true }, account: { type: "string" }, ...flags },
  run: changing(async (context, values) => view(await act(context, await targetOf(context, values), values))),
});

const setStatus = (summary: string, status: ApiKey["status"]) =>
  change(summary, (context, key) => operate(context, keyOperations.setStatus, { ...key, status }));

export const keyCommands: Record<string, Command> = {
  create,
  "set-limits": change(
    "Change a key's limits, and whether its answers tell their cost; none lifts a limit, and what is not named stays",
    (context, key, values) => operate(context, keyOperations.update, { ...key, ...termsOf(values) }),
    termFlags,
  ),
  list: {
    summary: "List keys, of one account or of all",
    flags: { account: { type: "string" } },
    run: async (context, values) =>
      (await listKeys(context.db, { accountId: await accountOf(context, values) })).map((key) =>
        view(keyOperations.view(key)),
      ),
  },
  enable: setStatus("Let a key call again", "active"),
  disable: setStatus("Refuse a key's calls within a second, everywhere", "disabled"),
  delete: change("Forget a key for good", (context, key) => operate(context, keyOperations.remove, key)),
};
