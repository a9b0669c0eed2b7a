import { z } from "zod";
import {
  type ApiKey,
  deleteKey,
  getAccount,
  issueKey,
  lockKey,
  setKeyStatus,
  updateKey,
} from "@/server/access";
import { KeyTerms } from "@/server/access/schema";
import type { Action } from "@/server/audit";
import { inDecimals } from "@/server/base/money";
import { operation } from "./operation";
import { AccountId, KeyId, Moment, Money, Status } from "./schema";

/** What may be said of a key, as it travels. */
const Terms = KeyTerms.extend({
  expiresAt: Moment.nullable().describe("null: never"),
  monthlyCap: Money.nullable().describe(
    "What it may spend in a billing month; null: whatever the account has",
  ),
});

/** Of any account where none is named, which only operators can leave out. */
const Target = z.strictObject({ keyId: KeyId, accountId: AccountId.optional() });

/** What was decided about a key, without what happened to it. Money as a decimal. */
export const view = ({ lastUsedAt: _, lastAddress: __, ...key }: ApiKey) => inDecimals(key);

export type KeyView = ReturnType<typeof view>;

const recordOf = ({ id: _, accountId: __, ...terms }: KeyView) => terms;

/** A side on which the key does not exist is absent. */
function change(action: Action, key: ApiKey, { before, after }: { before?: ApiKey; after?: ApiKey }) {
  const { id, name, accountId } = key;
  return {
    action,
    accountId,
    target: { id, name },
    ...(before && { before: recordOf(view(before)) }),
    ...(after && { after: recordOf(view(after)) }),
    result: view(key),
  };
}

/** The secret is in this answer and nowhere else. */
export const create = operation({
  by: ["owner", "operator"],
  input: Terms.partial().extend({ name: Terms.shape.name, accountId: AccountId }),
  run: async ({ db, secrets }, input) => {
    await getAccount(db, input.accountId);
    const { secret, ...key } = await issueKey(db, input, secrets.keyPepper);
    const created = change("key.create", key, { after: key });
    return { ...created, result: { ...created.result, secret } };
  },
});

/** What is not named stays. */
export const update = operation({
  by: ["owner", "operator"],
  input: Terms.partial().extend(Target.shape),
  run: async ({ db }, { keyId, accountId, ...terms }) => {
    const before = await lockKey(db, { keyId, accountId });
    const after = await updateKey(db, { keyId, accountId, ...terms });
    return change("key.update", after, { before, after });
  },
});

export const setStatus = operation({
  by: ["owner", "operator"],
  input: Target.extend({ status: Status }),
  run: async ({ db }, { status, ...target }) => {
    const before = await lockKey(db, target);
    const after = await setKeyStatus(db, { ...target, status });
    return change(status === "active" ? "key.enable" : "key.disable", after, { before, after });
  },
});

export const remove = operation({
  by: ["owner", "operator"],
  input: Target,
  run: async ({ db }, target) => {
    const key = await deleteKey(db, target);
    return change("key.delete", key, { before: key });
  },
});
