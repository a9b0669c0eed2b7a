import { eq } from "drizzle-orm";
import type { AccountId } from "@/server/base/ids";
import { type Tx, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";

const { conversations, keptThinking, storedResponses } = tables;

/** Forgets all that an account has kept. What is still being made is not: its money is frozen. */
export async function eraseResponses(tx: Tx, accountId: AccountId): Promise<void> {
  // First, as every transaction has them: what is being added to one is waited for, and goes with the rest.
  await ormOf(tx).delete(conversations).where(eq(conversations.accountId, accountId));
  await ormOf(tx).delete(storedResponses).where(eq(storedResponses.accountId, accountId));
  await ormOf(tx).delete(keptThinking).where(eq(keptThinking.accountId, accountId));
}
