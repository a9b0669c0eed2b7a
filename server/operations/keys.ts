import { z } from "zod";
import {
  type ApiKey,
  deleteKey,
  getAccount,
  issueKey,
  lockKey,
  lockKeys,
  looksLikeSecret,
  retireOldSecret,
  rotateKey,
  setKeyStatus,
  setKeysStatus,
  updateKey,
} from "@/server/access";
import { KeyTerms } from "@/server/access/schema";
import type { Action } from "@/server/audit";
import { inDecimals } from "@/server/base/money";
import { operation, type TxContext } from "./operation";
import { AccountId, KeyId, Moment, Money, Status } from "./schema";

/** The terms of a key as they are sent. */
const Terms = KeyTerms.extend({
  expiresAt: Moment.nullable().describe("null: never"),
  monthlyCap: Money.nullable().describe(
    "The maximum spend per billing month; null: only the limits of the account apply",
  ),
  weeklyCap: Money.nullable().describe("The maximum spend per week of the billing time zone, from Monday on"),
  dailyCap: Money.nullable().describe("The maximum spend per day of the billing time zone"),
});

/** Without `accountId` a key of any account, which only operators can request. */
const Target = z.strictObject({ keyId: KeyId, accountId: AccountId.optional() });

/** A key's settings, without its use. Money as a decimal. */
export const view = ({ lastUsedAt: _, lastAddress: __, ...key }: ApiKey) => inDecimals(key);

export type KeyView = ReturnType<typeof view>;

const recordOf = ({ id: _, accountId: __, ...terms }: KeyView) => terms;

/** `before` or `after` is absent if the key did not exist then. */
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

const NewKey = Terms.partial().extend({ name: Terms.shape.name, accountId: AccountId });

/** A secret that the operator has made, as random as ours. */
const OwnSecret = z.string().refine(looksLikeSecret, "a key's secret is `sk-` and 43 letters or digits");

async function issue(
  { db, secrets }: TxContext,
  input: z.output<typeof NewKey> & { secret?: string | undefined },
) {
  await getAccount(db, input.accountId);
  const { secret, ...key } = await issueKey(db, input, secrets.keyPepper);
  const created = change("key.create", key, { after: key });
  return { ...created, result: { ...created.result, secret } };
}

/** Only this answer contains the secret. */
export const create = operation({ needs: "keys.write", input: NewKey, run: issue });

/** For configuration files only: the secret may be one from the operator's own store of secrets. */
export const createFromFile = operation({
  needs: null,
  input: NewKey.extend({ secret: OwnSecret.optional() }),
  run: issue,
});

/** Members that are not named stay. */
export const update = operation({
  needs: "keys.write",
  input: Terms.partial().extend(Target.shape),
  run: async ({ db }, { keyId, accountId, ...terms }) => {
    const before = await lockKey(db, { keyId, accountId });
    const after = await updateKey(db, { keyId, accountId, ...terms });
    return change("key.update", after, { before, after });
  },
});

export const setStatus = operation({
  needs: "keys.switch",
  input: Target.extend({ status: Status }),
  run: async ({ db }, { status, ...target }) => {
    const before = await lockKey(db, target);
    const after = await setKeyStatus(db, { ...target, status });
    return change(status === "active" ? "key.enable" : "key.disable", after, { before, after });
  },
});

/** The most keys in one change; a page of the list has fewer. */
const MOST_KEYS = 100;

/** Changes all keys or none: an unknown one refuses the others. Each has its own audit entry. */
export const setStatuses = operation({
  needs: "keys.switch",
  input: z.strictObject({
    keyIds: z.array(KeyId).min(1).max(MOST_KEYS),
    status: Status,
    accountId: AccountId.optional(),
  }),
  run: async ({ db }, { status, ...target }) => {
    const keys = { ...target, keyIds: [...new Set(target.keyIds)] };
    const before = await lockKeys(db, keys);
    const after = await setKeysStatus(db, { ...keys, status });
    const action = status === "active" ? "key.enable" : "key.disable";
    const changes = before.map((key) =>
      change(action, key, { before: key, after: after.get(key.id) ?? key }),
    );
    const [first, ...also] = changes;
    if (first === undefined) {
      throw new Error("no key is named");
    }
    return { ...first, also, result: [...after.values()].map(view) };
  },
});

/** How long the former secret may be kept: enough for a deployment that takes a day. */
const LONGEST_KEPT_SECONDS = 86_400;

/** Sets a new secret, which only this answer contains; the key itself stays the same. */
export const rotate = operation({
  needs: "keys.write",
  input: Target.extend({
    keepOldSeconds: z
      .number()
      .int()
      .min(0)
      .max(LONGEST_KEPT_SECONDS)
      .describe("How long the previous secret still works; 0: it stops within a second"),
  }),
  run: async ({ db, secrets }, input) => {
    const before = await lockKey(db, input);
    const { secret, ...after } = await rotateKey(db, input, secrets.keyPepper);
    const rotated = change("key.rotate", after, { before, after });
    return { ...rotated, result: { ...rotated.result, secret } };
  },
});

/** The former secret works for an hour after a file has named another one, so that programs can follow. */
const KEPT_SECONDS = 3_600;

/** For configuration files only, as `rotate`: sets a secret from the operator's own store of secrets. */
export const setSecret = operation({
  needs: null,
  input: Target.extend({ secret: OwnSecret }),
  run: async ({ db, secrets }, input) => {
    const before = await lockKey(db, input);
    const { secret: _, ...after } = await rotateKey(
      db,
      { ...input, keepOldSeconds: KEPT_SECONDS },
      secrets.keyPepper,
    );
    return change("key.rotate", after, { before, after });
  },
});

/** Revokes the secret that a rotation left in force, before its time. */
export const retireSecret = operation({
  needs: "keys.write",
  input: Target,
  run: async ({ db }, target) => {
    const before = await lockKey(db, target);
    const after = await retireOldSecret(db, target);
    return change("key.retire_secret", after, { before, after });
  },
});

/** The terms of a key that a duplicate gets; their names are those of the schema. */
const termsOf = ({ allowedIps, requestsPerMinute, maxConcurrent, models, ...key }: ApiKey) => ({
  allowedIps,
  requestsPerMinute,
  maxConcurrent,
  models,
  monthlyCap: key.monthlyCap,
  weeklyCap: key.weeklyCap,
  dailyCap: key.dailyCap,
  tellsCost: key.tellsCost,
  cachesPrompts: key.cachesPrompts,
  expiresAt: key.expiresAt,
});

/** Adds another key with the same terms and nothing spent. Only this answer contains its secret. */
export const duplicate = operation({
  needs: "keys.write",
  input: Target.extend({ name: Terms.shape.name }),
  run: async ({ db, secrets }, { name, ...target }) => {
    const original = await lockKey(db, target);
    const terms = { ...termsOf(original), name, accountId: original.accountId };
    const { secret, ...key } = await issueKey(db, terms, secrets.keyPepper);
    const made = change("key.duplicate", key, { after: key });
    return {
      ...made,
      after: { ...recordOf(view(key)), duplicateOf: original.id },
      result: { ...made.result, secret },
    };
  },
});

export const remove = operation({
  needs: "keys.write",
  input: Target,
  run: async ({ db }, target) => {
    const key = await deleteKey(db, target);
    return change("key.delete", key, { before: key });
  },
});
