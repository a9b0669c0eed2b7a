import { and, eq, isNotNull, or } from "drizzle-orm";
import type { AccountId } from "@/server/base/ids";
import { type Tx, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";

const { calls } = tables;

/** Forgets where an account's calls came from, and what their client was told, which may name what it sent. */
export async function eraseCallers(tx: Tx, accountId: AccountId): Promise<void> {
  await ormOf(tx)
    .update(calls)
    .set({ address: null, errorMessage: null })
    .where(and(eq(calls.accountId, accountId), or(isNotNull(calls.address), isNotNull(calls.errorMessage))));
}
