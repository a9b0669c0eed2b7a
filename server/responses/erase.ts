import { eq } from "drizzle-orm";
import { type Tx, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { AccountId } from "@/server/domain/ids";

const { conversations, keptThinking, storedResponses } = tables;

/** Deletes everything that an account has stored. Responses that are being made stay: their money is frozen. */
export async function eraseResponses(tx: Tx, accountId: AccountId): Promise<void> {
  // First, in the order of every transaction: an addition in progress is awaited, and deleted with the rest.
  await ormOf(tx).delete(conversations).where(eq(conversations.accountId, accountId));
  await ormOf(tx).delete(storedResponses).where(eq(storedResponses.accountId, accountId));
  await ormOf(tx).delete(keptThinking).where(eq(keptThinking.accountId, accountId));
}
