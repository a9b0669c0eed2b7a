/** Keys for programs that manage an account, or the installation, through the admin API. */
import { and, desc, eq, inArray, isNull, lt, or, sql } from "drizzle-orm";
import { GatewayError } from "@/server/base/errors";
import { type Db, type RowOf, rowOrRefuse, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { type AccountId, newId } from "@/server/domain/ids";
import { Refusal } from "@/server/domain/refusal";
import { hashSecret, looksLikeManagementSecret, mintManagementSecret } from "./api-key";

const { accounts, managementKeys } = tables;

const columns = {
  id: managementKeys.id,
  accountId: managementKeys.accountId,
  name: managementKeys.name,
  lastFour: managementKeys.lastFour,
  isReadOnly: managementKeys.isReadOnly,
  createdBy: managementKeys.createdBy,
  expiresAt: managementKeys.expiresAt,
  lastUsedAt: managementKeys.lastUsedAt,
  lastAddress: managementKeys.lastAddress,
  createdAt: managementKeys.createdAt,
};

/** A management key as users see it. The last use is some seconds old. */
export type ManagementKey = RowOf<typeof columns>;

type NewKey = Pick<ManagementKey, "accountId" | "name" | "isReadOnly" | "expiresAt" | "createdBy">;

/** Creates a management key. Only the result contains the secret. */
export async function issueManagementKey(
  db: Db,
  key: NewKey,
  pepper: string,
): Promise<ManagementKey & { secret: string }> {
  const secret = mintManagementSecret();
  const row = await rowOrRefuse(
    ormOf(db)
      .insert(managementKeys)
      .values({ ...key, id: newId("mgk"), hash: hashSecret(secret, pepper), lastFour: secret.slice(-4) })
      .returning(columns),
    () => new Error("the management key was not stored"),
  );
  return { ...row, secret };
}

/** `accountId`: the account that must own it; keys of other accounts are unknown. */
type ManagementKeyRef = { managementKeyId: string; accountId?: AccountId | undefined };

/**
 * Deletes the key, so that requests with it get 401, and its stored answers to repeats. Returns the deleted key. Throws
 * Refusal.
 */
export async function revokeManagementKey(
  db: Db,
  { managementKeyId, accountId }: ManagementKeyRef,
): Promise<ManagementKey> {
  const mine = accountId === undefined ? undefined : eq(managementKeys.accountId, accountId);
  return await rowOrRefuse(
    ormOf(db)
      .delete(managementKeys)
      .where(and(eq(managementKeys.id, managementKeyId), mine))
      .returning(columns),
    () => new Refusal(`management key "${managementKeyId}" does not exist`, "managementKeyUnknown"),
  );
}

/** The management keys of one account, or of the installation (null), newest first. */
export async function listManagementKeys(db: Db, accountId: AccountId | null): Promise<ManagementKey[]> {
  const whose =
    accountId === null ? isNull(managementKeys.accountId) : eq(managementKeys.accountId, accountId);
  return await ormOf(db).select(columns).from(managementKeys).where(whose).orderBy(desc(managementKeys.id));
}

/** A management key that makes a request. */
export type Manager = Pick<ManagementKey, "id" | "name" | "accountId" | "isReadOnly">;

/**
 * Finds the management key of one of the offered secrets. Throws the 401 errors, and 403 if its account is disabled.
 */
export async function findManager(
  db: Db,
  offered: string[],
  { peppers: [pepper, ...older], now }: { peppers: [string, ...string[]]; now: Date },
): Promise<Manager> {
  if (offered.length === 0) {
    throw new GatewayError("missingKey");
  }
  /** Each possible stored hash, with the hash that should be stored. */
  const hashes = new Map(
    offered
      .filter(looksLikeManagementSecret)
      .flatMap((secret) =>
        [pepper, ...older].map(
          (candidate) => [hashSecret(secret, candidate), hashSecret(secret, pepper)] as const,
        ),
      ),
  );
  const rows =
    hashes.size === 0
      ? []
      : await ormOf(db)
          .select({
            id: managementKeys.id,
            name: managementKeys.name,
            accountId: managementKeys.accountId,
            isReadOnly: managementKeys.isReadOnly,
            expiresAt: managementKeys.expiresAt,
            hash: managementKeys.hash,
            accountStatus: accounts.status,
          })
          .from(managementKeys)
          .leftJoin(accounts, eq(accounts.id, managementKeys.accountId))
          .where(inArray(managementKeys.hash, [...hashes.keys()]));
  // In the order in which the request offers them (spec section 5).
  const row = [...hashes.keys()].flatMap((hash) => rows.filter((entry) => entry.hash === hash))[0];
  if (!row) {
    throw new GatewayError("invalidKey");
  }
  const { expiresAt, hash, accountStatus, ...manager } = row;
  if (expiresAt && expiresAt <= now) {
    throw new GatewayError("expiredKey");
  }
  if (accountStatus !== null && accountStatus !== "active") {
    throw new GatewayError("accountDisabled");
  }
  const current = hashes.get(hash) ?? hash;
  if (current !== hash) {
    // Found with an older pepper: the secret is known only at this moment.
    await ormOf(db)
      .update(managementKeys)
      .set({ hash: current })
      .where(and(eq(managementKeys.id, manager.id), eq(managementKeys.hash, hash)));
  }
  return manager;
}

/**
 * How old a stored last use may be before it is written again: a program that calls constantly does not write each
 * time.
 */
const NOTED_EVERY_SECONDS = 10;

/** Records a use of the key. */
export async function noteManager(
  db: Db,
  managementKeyId: string,
  { at, address }: { at: Date; address: string | null },
): Promise<void> {
  const isOld = lt(
    managementKeys.lastUsedAt,
    sql`${at.toISOString()}::timestamptz - ${NOTED_EVERY_SECONDS} * interval '1 second'`,
  );
  await ormOf(db)
    .update(managementKeys)
    .set({ lastUsedAt: at, lastAddress: address })
    .where(and(eq(managementKeys.id, managementKeyId), or(isNull(managementKeys.lastUsedAt), isOld)));
}
