import { and, eq, isNotNull, isNull, or, sql } from "drizzle-orm";
import { type Tx, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { AccountId } from "@/server/domain/ids";

const { calls } = tables;

/**
 * Erases a client's own words from an account's calls: their addresses, the error messages, which may quote the
 * request, the names of ignored members, and the model name of calls that reached no channel.
 */
export async function eraseWords(tx: Tx, accountId: AccountId): Promise<void> {
  const isUnheard = isNull(calls.channelId);
  await ormOf(tx)
    .update(calls)
    .set({
      address: null,
      errorMessage: null,
      ignored: null,
      modelId: sql`case when ${isUnheard} then null else ${calls.modelId} end`,
    })
    .where(
      and(
        eq(calls.accountId, accountId),
        or(
          isNotNull(calls.address),
          isNotNull(calls.errorMessage),
          isNotNull(calls.ignored),
          and(isUnheard, isNotNull(calls.modelId)),
        ),
      ),
    );
}
