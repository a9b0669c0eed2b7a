import { and, eq, isNotNull } from "drizzle-orm";
import type { AccountId } from "@/server/base/ids";
import { type Tx, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";

const { calls } = tables;

/** Forgets where an account's calls came from. */
export async function eraseAddresses(tx: Tx, accountId: AccountId): Promise<void> {
  await ormOf(tx)
    .update(calls)
    .set({ address: null })
    .where(and(eq(calls.accountId, accountId), isNotNull(calls.address)));
}
