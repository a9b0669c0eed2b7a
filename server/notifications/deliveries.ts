import { and, desc, eq, isNotNull, lt, sql } from "drizzle-orm";
import { type Db, type RowOf, rowOrRefuse, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { newId } from "@/server/domain/ids";
import { Refusal } from "@/server/domain/refusal";
import { bodyOf } from "./announce";
import { getWebhook, type NotificationOwner } from "./endpoints";

const { deliveries, reachedShares } = tables;

/** How long deliveries are listed and can be repeated. */
const KEPT_DAYS = 30;
/** Longer than an event waits for an e-mail (`STALE_MS` in `send-mails.ts`). */
const LETTER_DAYS = 4;
/** Longer than the longest period that is announced once. */
const REACHED_DAYS = 62;
const LISTED = 50;

const columns = {
  id: deliveries.id,
  type: deliveries.type,
  body: deliveries.body,
  attempts: deliveries.attempts,
  dueAt: deliveries.dueAt,
  answered: deliveries.answered,
  problem: deliveries.problem,
  deliveredAt: deliveries.deliveredAt,
  createdAt: deliveries.createdAt,
};

/** A delivery to a webhook. `dueAt` null and no `deliveredAt`: given up. */
export type Delivery = RowOf<typeof columns>;

type WebhookRef = NotificationOwner & { webhookId: string };

/** The latest deliveries of a webhook, newest first. Throws Refusal. */
export async function listDeliveries(db: Db, target: WebhookRef): Promise<Delivery[]> {
  await getWebhook(db, target);
  return await ormOf(db)
    .select(columns)
    .from(deliveries)
    .where(eq(deliveries.webhookId, target.webhookId))
    .orderBy(desc(deliveries.id))
    .limit(LISTED);
}

/** Repeats a delivery at once, with the same `webhook-id`. Throws Refusal. */
export async function redeliver(
  db: Db,
  target: WebhookRef & { deliveryId: string; now: Date },
): Promise<Delivery> {
  await getWebhook(db, target);
  return await rowOrRefuse(
    ormOf(db)
      .update(deliveries)
      .set({ attempts: 0, dueAt: target.now, deliveredAt: null })
      .where(and(eq(deliveries.id, target.deliveryId), eq(deliveries.webhookId, target.webhookId)))
      .returning(columns),
    () => new Refusal(`delivery "${target.deliveryId}" does not exist`, "deliveryUnknown"),
  );
}

/** Sends a test event to one webhook only. Throws Refusal. */
export async function sendTest(db: Db, target: WebhookRef & { now: Date }): Promise<Delivery> {
  const { accountId } = await getWebhook(db, target);
  const type = "webhook.test" as const;
  const body = bodyOf({ type, accountId, data: { message: "This is a test." }, at: target.now });
  const { webhookId, now: dueAt } = target;
  return await rowOrRefuse(
    ormOf(db)
      .insert(deliveries)
      .values({ id: newId("msg"), webhookId, type, body, dueAt })
      .returning(columns),
    () => new Error("the delivery was not stored"),
  );
}

/** Deletes old rows. */
export async function tidyDeliveries(db: Db): Promise<void> {
  // E-mails that were not sent for so long are given up, so that they also leave the queue of webhooks.
  await ormOf(db)
    .update(deliveries)
    .set({ dueAt: null })
    .where(
      and(
        isNotNull(deliveries.userId),
        isNotNull(deliveries.dueAt),
        lt(deliveries.createdAt, sql`now() - ${LETTER_DAYS} * interval '1 day'`),
      ),
    );
  await ormOf(db)
    .delete(deliveries)
    .where(lt(deliveries.createdAt, sql`now() - ${KEPT_DAYS} * interval '1 day'`));
  await ormOf(db)
    .delete(reachedShares)
    .where(lt(reachedShares.createdAt, sql`now() - ${REACHED_DAYS} * interval '1 day'`));
}
