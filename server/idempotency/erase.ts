import { eq } from "drizzle-orm";
import { type Tx, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { AccountId } from "@/server/domain/ids";

const { idempotentCalls } = tables;

/** Deletes the kept answers of an account: a repeat would be a new call. */
export async function eraseAnswers(tx: Tx, accountId: AccountId): Promise<void> {
  await ormOf(tx).delete(idempotentCalls).where(eq(idempotentCalls.accountId, accountId));
}
