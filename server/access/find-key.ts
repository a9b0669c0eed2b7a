import { and, eq, inArray, or } from "drizzle-orm";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { hashSecret } from "./api-key";
import type { KnownKey } from "./caller";
import { compileAllowList } from "./ip-allow-list";

/** Under which a key may be stored: the hash under the pepper first, then the one under the pepper before it. */
const SEPARATOR = " ";
export const namesOf = (secret: string, peppers: string[]) =>
  peppers.map((pepper) => hashSecret(secret, pepper)).join(SEPARATOR);

const { accounts, apiKeys } = tables;

/**
 * The key that has one of these hashes, as its secret's or as that of the secret before a rotation, whose time may be
 * over. One that is found by an older hash gets the current one: this is the only moment in which its secret is known.
 */
export async function findKey(db: Db, names: string): Promise<KnownKey | null> {
  const [current = "", ...older] = names.split(SEPARATOR);
  const hashes = [current, ...older];
  const [row] = await ormOf(db)
    .select({
      hash: apiKeys.hash,
      oldHash: apiKeys.oldHash,
      oldUntil: apiKeys.oldUntil,
      keyId: apiKeys.id,
      accountId: apiKeys.accountId,
      status: apiKeys.status,
      accountStatus: accounts.status,
      allowedIps: apiKeys.allowedIps,
      requestsPerMinute: apiKeys.requestsPerMinute,
      maxConcurrent: apiKeys.maxConcurrent,
      account: {
        requestsPerMinute: accounts.requestsPerMinute,
        tokensPerMinute: accounts.tokensPerMinute,
        maxConcurrent: accounts.maxConcurrent,
        dailyLimit: accounts.dailyLimit,
        storesResponses: accounts.storesResponses,
        priceGroupId: accounts.priceGroupId,
      },
      models: apiKeys.models,
      monthlyCap: apiKeys.monthlyCap,
      dailyCap: apiKeys.dailyCap,
      weeklyCap: apiKeys.weeklyCap,
      tellsCost: apiKeys.tellsCost,
      cachesPrompts: apiKeys.cachesPrompts,
      expiresAt: apiKeys.expiresAt,
      deletedAt: apiKeys.deletedAt,
    })
    .from(apiKeys)
    .innerJoin(accounts, eq(accounts.id, apiKeys.accountId))
    .where(or(inArray(apiKeys.hash, hashes), inArray(apiKeys.oldHash, hashes)))
    .limit(1);
  if (!row || row.deletedAt) {
    return null;
  }
  const { hash, oldHash, oldUntil, status, accountStatus, allowedIps, deletedAt: _, ...key } = row;
  const isOld = !hashes.includes(hash);
  const [column, stored] = isOld ? (["oldHash", oldHash] as const) : (["hash", hash] as const);
  if (stored !== null && stored !== current) {
    await ormOf(db)
      .update(apiKeys)
      .set({ [column]: current })
      .where(
        and(eq(apiKeys.accountId, row.accountId), eq(apiKeys.id, row.keyId), eq(apiKeys[column], stored)),
      );
  }
  return {
    ...key,
    isEnabled: status === "active",
    isAccountEnabled: accountStatus === "active",
    allowList: compileAllowList(allowedIps),
    // A row without the moment would be of nobody's making: its old secret is then refused.
    secretUntil: isOld ? (oldUntil ?? new Date(0)) : null,
  };
}
