import { and, arrayContains, eq, isNull, or, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { unionAll } from "drizzle-orm/pg-core";
import type { EventType, ToldType } from "@/server/base/facts";
import { type AccountId, newId } from "@/server/base/ids";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";

const { deliveries, mailRecipients, users, webhooks } = tables;

/** `data` as it travels: money in decimals, names in snake case. `accountId` null: for operators alone. */
export type News = {
  type: EventType;
  accountId: AccountId | null;
  data: Record<string, unknown>;
  at: Date;
};

/** What receivers read, and what is signed. */
export const bodyOf = ({ type, accountId, data, at }: Omit<News, "type"> & { type: ToldType }) =>
  JSON.stringify({ type, timestamp: at.toISOString(), data: { account_id: accountId, ...data } });

/** The account's own, and the operators'. */
const isHeardBy = (owner: PgColumn, accountId: AccountId | null): SQL | undefined =>
  or(isNull(owner), accountId === null ? undefined : eq(owner, accountId));

/**
 * Puts an event in line for whoever wants to hear of it: the account's webhooks and people, and the operators'. In the
 * caller's transaction, so that what is undone is told to nobody, and what is done is told even if this process dies.
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
