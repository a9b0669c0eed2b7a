import { z } from "zod";
import { getAccount, issueManagementKey, type ManagementKey, revokeManagementKey } from "@/server/access";
import type { Action } from "@/server/audit";
import { operation } from "./operation";
import { AccountId, Id, Moment } from "./schema";

function change(action: Action, key: ManagementKey) {
  const { id, name, accountId, isReadOnly, expiresAt } = key;
  return { action, accountId, target: { id, name }, terms: { name, isReadOnly, expiresAt } };
}

/** Only this answer contains the secret. */
export const create = operation({
  needs: "management_keys.write",
  input: z.strictObject({
    accountId: AccountId.nullable().describe(
      "null: a key of the installation, with the permissions of an operator",
    ),
    name: z.string().trim().min(1).max(100),
    isReadOnly: z.boolean().optional(),
    expiresAt: Moment.nullable().optional().describe("null or omitted: never"),
  }),
  run: async ({ db, secrets, actor }, { accountId, name, isReadOnly = false, expiresAt = null }) => {
    if (accountId !== null) {
      await getAccount(db, accountId);
    }
    const { secret, ...key } = await issueManagementKey(
      db,
      { accountId, name, isReadOnly, expiresAt, createdBy: actor.name },
      secrets.keyPepper,
    );
    const { terms, ...created } = change("management_key.create", key);
    return { ...created, after: terms, result: { ...key, secret } };
  },
});

/** Takes effect at once: management keys are not cached. */
export const revoke = operation({
  needs: "management_keys.write",
  /** Without `accountId` a key of any account, which only operators can request. */
  input: z.strictObject({ managementKeyId: Id, accountId: AccountId.optional() }),
  run: async ({ db }, target) => {
    const key = await revokeManagementKey(db, target);
    const { terms, ...revoked } = change("management_key.revoke", key);
    return { ...revoked, before: terms, result: key };
  },
});
