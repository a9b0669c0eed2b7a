import { and, asc, eq, isNull } from "drizzle-orm";
import { type Queryable, reportChange, tables } from "@/server/db";
import { newId } from "@/server/ids";
import { Refusal } from "@/server/refusal";
import { hashSecret, mintSecret } from "./api-key";
import { canonicalCidr } from "./ip-allow-list";

const { apiKeys } = tables;

export type ApiKey = {
  id: string;
  accountId: string;
  name: string;
  lastFour: string;
  status: "active" | "disabled";
  allowedIps: string[];
  requestsPerMinute: number | null;
  expiresAt: Date | null;
  createdAt: Date;
};

const columns = {
  id: apiKeys.id,
  accountId: apiKeys.accountId,
  name: apiKeys.name,
  lastFour: apiKeys.lastFour,
  status: apiKeys.status,
  allowedIps: apiKeys.allowedIps,
  requestsPerMinute: apiKeys.requestsPerMinute,
  expiresAt: apiKeys.expiresAt,
  createdAt: apiKeys.createdAt,
};

type NewKey = {
  accountId: string;
  name: string;
  allowedIps?: string[];
  requestsPerMinute?: number | null;
  expiresAt?: Date | null;
};

/** Rules in canonical form, each once. Throws Refusal that names the one that is no address or CIDR. */
function canonicalRules(rules: string[]): string[] {
  const canonical = rules.map((rule) => {
    const cidr = canonicalCidr(rule);
    if (cidr === null) {
      throw new Refusal(`"${rule}" is neither an IP address nor a CIDR range`);
    }
    return cidr;
  });
  return [...new Set(canonical)];
}

/** Issues a key. The secret is in the answer and nowhere else. */
export async function issueKey(
  db: Queryable,
  key: NewKey,
  pepper: string,
): Promise<ApiKey & { secret: string }> {
  const secret = mintSecret();
  const [row] = await db
    .insert(apiKeys)
    .values({
      id: newId("key"),
      accountId: key.accountId,
      name: key.name,
      hash: hashSecret(secret, pepper),
      lastFour: secret.slice(-4),
      allowedIps: canonicalRules(key.allowedIps ?? []),
      requestsPerMinute: key.requestsPerMinute ?? null,
      expiresAt: key.expiresAt ?? null,
    })
    .returning(columns);
  if (!row) {
    throw new Error("the key was not stored");
  }
  return { ...row, secret };
}

export async function listKeys(db: Queryable, filter: { accountId?: string | undefined }): Promise<ApiKey[]> {
  const mine = filter.accountId === undefined ? undefined : eq(apiKeys.accountId, filter.accountId);
  return await db
    .select(columns)
    .from(apiKeys)
    .where(and(isNull(apiKeys.deletedAt), mine))
    .orderBy(asc(apiKeys.id));
}

type Target = { keyId: string; accountId?: string | undefined };

const target = (key: Target) =>
  and(
    eq(apiKeys.id, key.keyId),
    isNull(apiKeys.deletedAt),
    key.accountId === undefined ? undefined : eq(apiKeys.accountId, key.accountId),
  );

async function change(
  db: Queryable,
  key: Target,
  values: Partial<typeof apiKeys.$inferInsert>,
): Promise<ApiKey> {
  const [row] = await db.update(apiKeys).set(values).where(target(key)).returning(columns);
  if (!row) {
    throw new Refusal(`there is no key "${key.keyId}"`);
  }
  await reportChange(db, "access");
  return row;
}

/** In force in every process within a second. Twice changes nothing. Throws Refusal. */
export function setKeyStatus(db: Queryable, key: Target & { status: ApiKey["status"] }): Promise<ApiKey> {
  return change(db, key, { status: key.status });
}

/** The key is unknown from now on (401); its row stays for the ledger's sake. */
export function deleteKey(db: Queryable, key: Target): Promise<ApiKey> {
  return change(db, key, { deletedAt: new Date() });
}
