import { and, asc, eq, inArray, isNull, type SQL, sql } from "drizzle-orm";
import { type Db, orRefuse, type RowOf, reportChange, rowOrRefuse, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { type AccountId, type KeyId, newId } from "@/server/domain/ids";
import { parseOrRefuse, Refusal } from "@/server/domain/refusal";
import { KeyTerms } from "../schema";
import { hashSecret, mintSecret, type Peppers, peppersOf } from "./api-key";
import { canonicalCidr } from "./cidr";

const { apiKeys } = tables;

/** Whether the secret before the last rotation is still accepted. */
const oldIsTaken = sql`${apiKeys.oldUntil} > now()`;

export const keyColumns = {
  id: apiKeys.id,
  accountId: apiKeys.accountId,
  name: apiKeys.name,
  lastFour: apiKeys.lastFour,
  /**
   * Last characters of the secret before the last rotation, while it is accepted in addition to the current one; and
   * until when.
   */
  oldLastFour: sql<string | null>`case when ${oldIsTaken} then ${apiKeys.oldLastFour} end`,
  oldUntil: sql`case when ${oldIsTaken} then ${apiKeys.oldUntil} end`.mapWith(
    apiKeys.oldUntil,
  ) as SQL<Date | null>,
  status: apiKeys.status,
  allowedIps: apiKeys.allowedIps,
  requestsPerMinute: apiKeys.requestsPerMinute,
  maxConcurrent: apiKeys.maxConcurrent,
  models: apiKeys.models,
  monthlyCap: apiKeys.monthlyCap,
  weeklyCap: apiKeys.weeklyCap,
  dailyCap: apiKeys.dailyCap,
  tellsCost: apiKeys.tellsCost,
  cachesPrompts: apiKeys.cachesPrompts,
  expiresAt: apiKeys.expiresAt,
  lastUsedAt: apiKeys.lastUsedAt,
  lastAddress: apiKeys.lastAddress,
  createdAt: apiKeys.createdAt,
};

/** A key as its owner sees it. Money in nano-units; the last use is some seconds old. */
export type ApiKey = RowOf<typeof keyColumns>;

/** Fields that are left out stay unchanged; null removes a limit. */
type TermsChange = { [Name in keyof KeyTerms]?: KeyTerms[Name] | undefined };

/** Returns rules in canonical form, without duplicates. Throws Refusal that names the first invalid rule. */
function canonicalRules(rules: string[]): string[] {
  const canonical = rules.map((rule) => {
    const cidr = canonicalCidr(rule);
    if (cidr === null) {
      throw new Refusal(`"${rule}" is neither an IP address nor a CIDR range`, "ruleInvalid", { rule });
    }
    return cidr;
  });
  return [...new Set(canonical)];
}

/** Validates terms and converts them to their stored form. Throws Refusal. */
function readTerms(change: TermsChange): TermsChange {
  const { allowedIps, models, ...terms } = parseOrRefuse(KeyTerms.partial(), change);
  return {
    ...terms,
    ...(allowedIps && { allowedIps: canonicalRules(allowedIps) }),
    ...(models && { models: [...new Set(models)] }),
  };
}

const storedSecret = (secret: string, pepper: string) => ({
  hash: hashSecret(secret, pepper),
  lastFour: secret.slice(-4),
});

/** A secret that an operator has made belongs to one key, present or deleted. */
const secretTaken = () => new Refusal("another key has or had this secret: make a new one", "keySecretTaken");

/**
 * Issues a key with a new secret, or with one that the operator has made. Only the result contains the secret; it is
 * stored as a hash. Throws Refusal.
 */
export async function issueKey(
  db: Db,
  {
    accountId,
    secret = mintSecret(),
    ...terms
  }: TermsChange & { accountId: AccountId; name: string; secret?: string | undefined },
  pepper: string,
): Promise<ApiKey & { secret: string }> {
  const inserted = ormOf(db)
    .insert(apiKeys)
    .values({
      name: terms.name,
      ...readTerms(terms),
      id: newId("key"),
      accountId,
      ...storedSecret(secret, pepper),
    })
    .returning(keyColumns);
  const row = await rowOrRefuse(
    orRefuse(inserted, "duplicate", secretTaken),
    () => new Error("the key was not stored"),
  );
  return { ...row, secret };
}

/** Whether this is the key's present secret. */
export async function hasSecret(
  db: Db,
  { keyId }: KeyRef,
  { secret, ...peppers }: Peppers & { secret: string },
) {
  const hashes = peppersOf(peppers).map((pepper) => hashSecret(secret, pepper));
  const rows = await ormOf(db)
    .select({ id: apiKeys.id })
    .from(apiKeys)
    .where(and(eq(apiKeys.id, keyId), inArray(apiKeys.hash, hashes)));
  return rows.length > 0;
}

/** All keys except the console's own, oldest first. */
export async function listKeys(db: Db, filter: { accountId?: AccountId | undefined }): Promise<ApiKey[]> {
  const mine = filter.accountId === undefined ? undefined : eq(apiKeys.accountId, filter.accountId);
  return await ormOf(db)
    .select(keyColumns)
    .from(apiKeys)
    .where(and(isNull(apiKeys.deletedAt), eq(apiKeys.isConsole, false), mine))
    .orderBy(asc(apiKeys.id));
}

/** `accountId`: the account that must own it; keys of other accounts are unknown. */
export type KeyRef = { keyId: KeyId; accountId?: AccountId | undefined };

const within = (accountId: AccountId | undefined) =>
  and(
    isNull(apiKeys.deletedAt),
    eq(apiKeys.isConsole, false),
    accountId === undefined ? undefined : eq(apiKeys.accountId, accountId),
  );

const target = ({ keyId, accountId }: KeyRef) => and(eq(apiKeys.id, keyId), within(accountId));

const keyUnknown = ({ keyId }: KeyRef) => new Refusal(`key "${keyId}" does not exist`, "keyUnknown");

/** Throws Refusal. */
export async function getKey(db: Db, key: KeyRef): Promise<ApiKey> {
  return await rowOrRefuse(ormOf(db).select(keyColumns).from(apiKeys).where(target(key)).limit(1), () =>
    keyUnknown(key),
  );
}

/** Like `getKey`, and locks the row until the transaction ends, so that the change applies to exactly what was read. */
export async function lockKey(db: Db, key: KeyRef): Promise<ApiKey> {
  return await rowOrRefuse(
    ormOf(db).select(keyColumns).from(apiKeys).where(target(key)).for("no key update"),
    () => keyUnknown(key),
  );
}

/** A value may be an expression over the row's present values. */
type KeyUpdate = {
  [Name in keyof typeof apiKeys.$inferInsert]?: (typeof apiKeys.$inferInsert)[Name] | SQL | undefined;
};

async function change(db: Db, key: KeyRef, values: KeyUpdate): Promise<ApiKey> {
  const row = await rowOrRefuse(
    ormOf(db).update(apiKeys).set(values).where(target(key)).returning(keyColumns),
    () => keyUnknown(key),
  );
  await reportChange(db, "access");
  return row;
}

/**
 * Every process applies it within a second; a lower cap applies to new holds. Returns the key after the change. Throws
 * Refusal.
 */
export async function updateKey(
  db: Db,
  { keyId, accountId, ...terms }: KeyRef & TermsChange,
): Promise<ApiKey> {
  const values = readTerms(terms);
  const isNothing = Object.values(values).every((value) => value === undefined);
  return isNothing ? await getKey(db, { keyId, accountId }) : await change(db, { keyId, accountId }, values);
}

/** Every process applies it within a second. Repeating it changes nothing. Throws Refusal. */
export function setKeyStatus(db: Db, key: KeyRef & { status: ApiKey["status"] }): Promise<ApiKey> {
  return change(db, key, { status: key.status });
}

const NO_OLD_SECRET = { oldHash: null, oldLastFour: null, oldUntil: null };

/**
 * Gives a key a new secret, or one that the operator has made; everything else stays. Only the result contains it. The previous secret is also accepted
 * for `keepOldSeconds`; with 0, every process refuses it within a second. A second rotation in that time replaces the
 * previous secret, so the one before it is refused. Throws Refusal.
 */
export async function rotateKey(
  db: Db,
  {
    keepOldSeconds,
    secret = mintSecret(),
    ...key
  }: KeyRef & { keepOldSeconds: number; secret?: string | undefined },
  pepper: string,
): Promise<ApiKey & { secret: string }> {
  const kept = {
    oldHash: sql`${apiKeys.hash}`,
    oldLastFour: sql`${apiKeys.lastFour}`,
    oldUntil: sql`now() + ${keepOldSeconds} * interval '1 second'`,
  };
  const old = keepOldSeconds > 0 ? kept : NO_OLD_SECRET;
  const changed = change(db, key, { ...storedSecret(secret, pepper), ...old });
  return { ...(await orRefuse(changed, "duplicate", secretTaken)), secret };
}

/**
 * Every process refuses the secret before the rotation within a second. Repeating it changes nothing. Throws Refusal.
 */
export function retireOldSecret(db: Db, key: KeyRef): Promise<ApiKey> {
  return change(db, key, NO_OLD_SECRET);
}

/** Several keys, all of one account if it is given. */
export type Targets = { keyIds: readonly KeyId[]; accountId?: AccountId | undefined };

const several = ({ keyIds, accountId }: Targets) => and(inArray(apiKeys.id, [...keyIds]), within(accountId));

/**
 * Like `lockKey`, in the order of identifiers, so that two such transactions wait instead of deadlocking. Throws
 * Refusal if a key is unknown.
 */
export async function lockKeys(db: Db, keys: Targets): Promise<ApiKey[]> {
  const rows = await ormOf(db)
    .select(keyColumns)
    .from(apiKeys)
    .where(several(keys))
    .orderBy(asc(apiKeys.id))
    .for("no key update");
  const unknown = keys.keyIds.find((keyId) => !rows.some(({ id }) => id === keyId));
  if (unknown !== undefined) {
    throw keyUnknown({ keyId: unknown });
  }
  return rows;
}

/** Like `setKeyStatus`, for several locked keys. Returns the existing ones by identifier. */
export async function setKeysStatus(
  db: Db,
  { status, ...keys }: Targets & { status: ApiKey["status"] },
): Promise<Map<KeyId, ApiKey>> {
  const rows = await ormOf(db).update(apiKeys).set({ status }).where(several(keys)).returning(keyColumns);
  await reportChange(db, "access");
  return new Map(rows.map((row) => [row.id, row]));
}

/** Requests with the key get 401 from now on; its row stays for the ledger. */
export function deleteKey(db: Db, key: KeyRef): Promise<ApiKey> {
  return change(db, key, { deletedAt: new Date() });
}
