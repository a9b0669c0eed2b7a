import { randomBytes } from "node:crypto";
import { and, eq, sql } from "drizzle-orm";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { type AccountId, newId } from "@/server/domain/ids";
import { type ApiKey, keyColumns } from "./keys";

const { apiKeys } = tables;

/** Sufficient for one person who types. */
const REQUESTS_PER_MINUTE = 60;

async function findConsoleKey(db: Db, accountId: AccountId): Promise<ApiKey | null> {
  const [row] = await ormOf(db)
    .select(keyColumns)
    .from(apiKeys)
    // Written as in the condition of the partial index.
    .where(and(eq(apiKeys.accountId, accountId), sql`is_console`))
    .limit(1);
  return row ?? null;
}

/**
 * Returns the key that limits and charges calls from the console, for an existing account. It is created at first use,
 * and no secret for its hash is known. Repeated or concurrent calls create one key.
 */
export async function getConsoleKey(db: Db, accountId: AccountId): Promise<ApiKey> {
  const existing = await findConsoleKey(db, accountId);
  if (existing) {
    return existing;
  }
  await ormOf(db)
    .insert(apiKeys)
    .values({
      id: newId("key"),
      accountId,
      name: "Playground",
      hash: randomBytes(32).toString("base64url"),
      lastFour: "",
      requestsPerMinute: REQUESTS_PER_MINUTE,
      isConsole: true,
    })
    .onConflictDoNothing();
  const made = await findConsoleKey(db, accountId);
  if (!made) {
    throw new Error("the console's key was not stored");
  }
  return made;
}
