import { eq, sql } from "drizzle-orm";
import { type Tx, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { AccountId } from "@/server/domain/ids";

const { deliveries, webhooks } = tables;

/**
 * Deletes an account's webhooks with their deliveries, and operators' deliveries about the account, which name its
 * keys.
 */
export async function eraseNews(tx: Tx, accountId: AccountId): Promise<void> {
  const orm = ormOf(tx);
  await orm.delete(webhooks).where(eq(webhooks.accountId, accountId));
  // As `bodyOf` writes it; values that others chose have their quotes escaped.
  await orm
    .delete(deliveries)
    .where(sql`strpos(${deliveries.body}, ${`"account_id":${JSON.stringify(accountId)}`}) > 0`);
}
