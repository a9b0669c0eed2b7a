import { and, arrayContains, eq, isNull, or, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { unionAll } from "drizzle-orm/pg-core";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { EventType, NotificationType } from "@/server/domain/enums";
import { type AccountId, newId } from "@/server/domain/ids";

const { deliveries, mailRecipients, users, webhooks } = tables;

/** `data` as it is sent: money in decimals, names in snake case. `accountId` null: for operators only. */
export type News = {
  type: EventType;
  accountId: AccountId | null;
  data: Record<string, unknown>;
  at: Date;
};

/** The text that receivers get and that is signed. */
export const bodyOf = ({ type, accountId, data, at }: Omit<News, "type"> & { type: NotificationType }) =>
  JSON.stringify({ type, timestamp: at.toISOString(), data: { account_id: accountId, ...data } });

/** Receivers of the account itself, and operators. */
const isHeardBy = (owner: PgColumn, accountId: AccountId | null): SQL | undefined =>
  or(isNull(owner), accountId === null ? undefined : eq(owner, accountId));

/**
 * Queues an event for its subscribers: the account's webhooks and people, and those of operators. It runs in the
 * caller's transaction, so that an event is not sent after a rollback, and is sent after a commit even if this process
 * dies.
 */
export async function announce(db: Db, news: News): Promise<void> {
  const { type, accountId } = news;
  const orm = ormOf(db);
  const heard = await unionAll(
    orm
      .select({ webhookId: sql<string | null>`${webhooks.id}`, userId: sql<string | null>`null::text` })
      .from(webhooks)
      .where(
        and(
          eq(webhooks.status, "active"),
          arrayContains(webhooks.events, [type]),
          isHeardBy(webhooks.accountId, accountId),
        ),
      ),
    orm
      .select({ webhookId: sql<string | null>`null::text`, userId: sql<string | null>`${users.id}` })
      .from(mailRecipients)
      .innerJoin(users, eq(users.id, mailRecipients.userId))
      .where(
        and(
          eq(users.status, "active"),
          arrayContains(mailRecipients.events, [type]),
          isHeardBy(users.accountId, accountId),
        ),
      ),
  );
  if (heard.length > 0) {
    const body = bodyOf(news);
    const rows = heard.map((whom) => ({ id: newId("msg"), ...whom, type, body, dueAt: news.at }));
    await orm.insert(deliveries).values(rows);
  }
}
