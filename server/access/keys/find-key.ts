import { and, eq, inArray, or, sql } from "drizzle-orm";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { KnownKey } from "../caller";
import { hashSecret } from "./api-key";
import { compileAllowList } from "./ip-allow-list";

/** Separates the hashes under which a key may be stored: with the current pepper first, then with the previous one. */
export const SEPARATOR = " ";
export const namesOf = (secret: string, peppers: string[]) =>
  peppers.map((pepper) => hashSecret(secret, pepper)).join(SEPARATOR);

const { accounts, apiKeys } = tables;

const columns = {
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
};

const selectKeys = (db: Db) =>
  ormOf(db).select(columns).from(apiKeys).innerJoin(accounts, eq(accounts.id, apiKeys.accountId));

/** A key with its account, as stored. */
export type KeyRow = Awaited<ReturnType<typeof selectKeys>>[number];

/** `isOld`: its secret before the last rotation was offered. null: it is deleted. */
export function toKnownKey(row: KeyRow, isOld: boolean): KnownKey | null {
  const { hash: _, oldHash, oldUntil, status, accountStatus, allowedIps, deletedAt, ...key } = row;
  return deletedAt
    ? null
    : {
        ...key,
        isEnabled: status === "active",
        isAccountEnabled: accountStatus === "active",
        allowList: compileAllowList(allowedIps),
        // A row without the time was not written by us: its old secret is refused.
        secretUntil: isOld ? (oldUntil ?? new Date(0)) : null,
      };
}

/** The keys that were used last, deleted ones included: `most` of them. */
export const listKeyRows = (db: Db, most: number): Promise<KeyRow[]> =>
  selectKeys(db).orderBy(sql`coalesce(${apiKeys.lastUsedAt}, ${apiKeys.createdAt}) desc`).limit(most);

/**
 * Finds the key with one of these hashes, as its current secret or as the secret before a rotation, whose grace period
 * may be over. A key that is found by an older hash gets the current one, because its secret is known only at this
 * moment.
 */
export async function findKey(db: Db, names: string): Promise<KnownKey | null> {
  const [current = "", ...older] = names.split(SEPARATOR);
  const hashes = [current, ...older];
  const [row] = await selectKeys(db)
    .where(or(inArray(apiKeys.hash, hashes), inArray(apiKeys.oldHash, hashes)))
    .limit(1);
  if (!row || row.deletedAt) {
    return null;
  }
  const { hash, oldHash } = row;
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
  return toKnownKey(row, isOld);
}
