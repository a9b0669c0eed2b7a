import { and, arrayContains, eq, isNull, or } from "drizzle-orm";
import type { WebhookEvent } from "@/server/base/facts";
import { type AccountId, newId } from "@/server/base/ids";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";

const { webhookDeliveries, webhooks } = tables;

/** `data` as it travels: money in decimals, names in snake case. */
export type News = { type: WebhookEvent; accountId: AccountId; data: Record<string, unknown>; at: Date };

/** What receivers read, and what is signed. */
export const bodyOf = ({
  type,
  accountId,
  data,
  at,
}: Omit<News, "accountId"> & { accountId: AccountId | null }) =>
  JSON.stringify({ type, timestamp: at.toISOString(), data: { account_id: accountId, ...data } });

/**
 * Puts an event in line for whoever wants to hear of it: the account's webhooks and the operators'. In the caller's
 * transaction, so that what is undone is told to nobody, and what is done is told even if this process dies.
 */
export async function announce(db: Db, news: News): Promise<void> {
  const { type, accountId } = news;
  const orm = ormOf(db);
  const heard = await orm
    .select({ id: webhooks.id })
    .from(webhooks)
    .where(
      and(
        eq(webhooks.status, "active"),
        arrayContains(webhooks.events, [type]),
        or(isNull(webhooks.accountId), eq(webhooks.accountId, accountId)),
      ),
    );
  if (heard.length > 0) {
    const body = bodyOf(news);
    const rows = heard.map(({ id }) => ({ id: newId("msg"), webhookId: id, type, body, dueAt: news.at }));
    await orm.insert(webhookDeliveries).values(rows);
  }
}
