import { and, arrayOverlaps, eq } from "drizzle-orm";
import { union } from "drizzle-orm/pg-core";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { EventType } from "@/server/domain/enums";
import type { AccountId } from "@/server/domain/ids";

const { mailRecipients, users, webhooks } = tables;

/**
 * The accounts for which anyone has subscribed to one of these events; null: all accounts, an empty list: none. One
 * statement.
 */
export async function listeningAccounts(db: Db, events: EventType[]): Promise<AccountId[] | null> {
  const orm = ormOf(db);
  const rows = await union(
    orm
      .select({ accountId: webhooks.accountId })
      .from(webhooks)
      .where(and(eq(webhooks.status, "active"), arrayOverlaps(webhooks.events, events))),
    orm
      .select({ accountId: users.accountId })
      .from(mailRecipients)
      .innerJoin(users, eq(users.id, mailRecipients.userId))
      .where(and(eq(users.status, "active"), arrayOverlaps(mailRecipients.events, events))),
  );
  const accountIds = rows.flatMap(({ accountId }) => accountId ?? []);
  return accountIds.length < rows.length ? null : accountIds;
}
