import { and, asc, eq, isNull } from "drizzle-orm";
import { type AccountId, type KeyId, newId } from "@/server/base/ids";
import { parseOrRefuse, Refusal } from "@/server/base/refusal";
import { type Db, type RowOf, reportChange, rowOrRefuse, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { hashSecret, mintSecret } from "./api-key";
import { canonicalCidr } from "./cidr";
import { KeyTerms } from "./schema";

const { apiKeys } = tables;

export const keyColumns = {
  id: apiKeys.id,
  accountId: apiKeys.accountId,
  name: apiKeys.name,
  lastFour: apiKeys.lastFour,
  status: apiKeys.status,
  allowedIps: apiKeys.allowedIps,
  requestsPerMinute: apiKeys.requestsPerMinute,
  maxConcurrent: apiKeys.maxConcurrent,
  models: apiKeys.models,
  monthlyCap: apiKeys.monthlyCap,
  tellsCost: apiKeys.tellsCost,
  expiresAt: apiKeys.expiresAt,
  lastUsedAt: apiKeys.lastUsedAt,
  lastAddress: apiKeys.lastAddress,
  createdAt: apiKeys.createdAt,
};

/** A key as its owner may see it. Money in nano-units; the last use is some seconds old. */
export type ApiKey = RowOf<typeof keyColumns>;

/** What is not named stays as it is; null lifts a limit. */
type TermsChange = { [Name in keyof KeyTerms]?: KeyTerms[Name] | undefined };

/** Rules in canonical form, each once. Throws Refusal that names the one that is no address or CIDR. */
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

/** As they are stored. Throws Refusal. */
function readTerms(change: TermsChange): TermsChange {
  const { allowedIps, models, ...terms } = parseOrRefuse(KeyTerms.partial(), change);
  return {
    ...terms,
    ...(allowedIps && { allowedIps: canonicalRules(allowedIps) }),
    ...(models && { models: [...new Set(models)] }),
  };
}

/** Issues a key. The secret is in the answer and nowhere else. Throws Refusal. */
export async function issueKey(
  db: Db,
  { accountId, ...terms }: TermsChange & { accountId: AccountId; name: string },
  pepper: string,
): Promise<ApiKey & { secret: string }> {
  const secret = mintSecret();
  const row = await rowOrRefuse(
    ormOf(db)
      .insert(apiKeys)
      .values({
        name: terms.name,
        ...readTerms(terms),
        id: newId("key"),
        accountId,
        hash: hashSecret(secret, pepper),
        lastFour: secret.slice(-4),
      })
      .returning(keyColumns),
    () => new Error("the key was not stored"),
  );
  return { ...row, secret };
}

/** All keys but the console's own, oldest first. */
export async function listKeys(db: Db, filter: { accountId?: AccountId | undefined }): Promise<ApiKey[]> {
  const mine = filter.accountId === undefined ? undefined : eq(apiKeys.accountId, filter.accountId);
  return await ormOf(db)
    .select(keyColumns)
    .from(apiKeys)
    .where(and(isNull(apiKeys.deletedAt), eq(apiKeys.isConsole, false), mine))
    .orderBy(asc(apiKeys.id));
}

/** `accountId`: whose it must be; another's is unknown. */
export type Target = { keyId: KeyId; accountId?: AccountId | undefined };

const target = (key: Target) =>
  and(
    eq(apiKeys.id, key.keyId),
    isNull(apiKeys.deletedAt),
    eq(apiKeys.isConsole, false),
    key.accountId === undefined ? undefined : eq(apiKeys.accountId, key.accountId),
  );

const keyUnknown = ({ keyId }: Target) => new Refusal(`there is no key "${keyId}"`, "keyUnknown");

/** Throws Refusal. */
export async function getKey(db: Db, key: Target): Promise<ApiKey> {
  return await rowOrRefuse(ormOf(db).select(keyColumns).from(apiKeys).where(target(key)).limit(1), () =>
    keyUnknown(key),
  );
}

/** As `getKey`, its row locked until the transaction ends: what is read is what the change finds. */
export async function lockKey(db: Db, key: Target): Promise<ApiKey> {
  return await rowOrRefuse(
    ormOf(db).select(keyColumns).from(apiKeys).where(target(key)).for("no key update"),
    () => keyUnknown(key),
  );
}

async function change(db: Db, key: Target, values: Partial<typeof apiKeys.$inferInsert>): Promise<ApiKey> {
  const row = await rowOrRefuse(
    ormOf(db).update(apiKeys).set(values).where(target(key)).returning(keyColumns),
    () => keyUnknown(key),
  );
  await reportChange(db, "access");
  return row;
}

/**
 * In force in every process within a second; a lower cap for what is frozen from then on. Answers the key as it is
 * then. Throws Refusal.
 */
export async function updateKey(
  db: Db,
  { keyId, accountId, ...terms }: Target & TermsChange,
): Promise<ApiKey> {
  const values = readTerms(terms);
  const isNothing = Object.values(values).every((value) => value === undefined);
  return isNothing ? await getKey(db, { keyId, accountId }) : await change(db, { keyId, accountId }, values);
}

/** In force in every process within a second. Twice changes nothing. Throws Refusal. */
export function setKeyStatus(db: Db, key: Target & { status: ApiKey["status"] }): Promise<ApiKey> {
  return change(db, key, { status: key.status });
}

/** The key is unknown from now on (401); its row stays for the ledger's sake. */
export function deleteKey(db: Db, key: Target): Promise<ApiKey> {
  return change(db, key, { deletedAt: new Date() });
}
