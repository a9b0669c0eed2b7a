import { and, desc, eq, isNotNull, lt, sql } from "drizzle-orm";
import { newId } from "@/server/base/ids";
import { Refusal } from "@/server/base/refusal";
import { type Db, type RowOf, rowOrRefuse, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { bodyOf } from "./announce";
import { getWebhook, type Whose } from "./endpoints";

const { deliveries, reachedShares } = tables;

/** How long what was told can be looked at, and told again. */
const KEPT_DAYS = 30;
/** As long as a letter may tell of it (`mail.ts`), and some. */
const LETTER_DAYS = 4;
/** Longer than the longest period that is told of once. */
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

/** What a webhook was told. `dueAt` null and no `deliveredAt`: given up. */
export type Delivery = RowOf<typeof columns>;

type Target = Whose & { webhookId: string };

/** The last of a webhook, newest first. Throws Refusal. */
export async function listDeliveries(db: Db, target: Target): Promise<Delivery[]> {
  await getWebhook(db, target);
  return await ormOf(db)
    .select(columns)
    .from(deliveries)
    .where(eq(deliveries.webhookId, target.webhookId))
    .orderBy(desc(deliveries.id))
    .limit(LISTED);
}

/** Tells the same once more, with the same `webhook-id`, at once. Throws Refusal. */
export async function redeliver(
  db: Db,
  target: Target & { deliveryId: string; now: Date },
): Promise<Delivery> {
  await getWebhook(db, target);
  return await rowOrRefuse(
    ormOf(db)
      .update(deliveries)
      .set({ attempts: 0, dueAt: target.now, deliveredAt: null })
      .where(and(eq(deliveries.id, target.deliveryId), eq(deliveries.webhookId, target.webhookId)))
      .returning(columns),
    () => new Refusal(`there is no delivery "${target.deliveryId}"`, "deliveryUnknown"),
  );
}

/** Tells one webhook, and no other, that it is one. Throws Refusal. */
export async function sendTest(db: Db, target: Target & { now: Date }): Promise<Delivery> {
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

/** Forgets what is long ago. */
export async function tidyDeliveries(db: Db): Promise<void> {
  // Letters that nobody took for so long are sent to nobody: they are out of the line that webhooks wait in, too.
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
