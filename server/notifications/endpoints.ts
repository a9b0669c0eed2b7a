import { and, desc, eq, isNull, type SQL, sql } from "drizzle-orm";
import type { Vault } from "@/server/base/vault";
import { type Db, type RowOf, rowOrRefuse, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { EventType, Status } from "@/server/domain/enums";
import { type AccountId, newId } from "@/server/domain/ids";
import { Refusal } from "@/server/domain/refusal";
import { mintWebhookSecret } from "./signature";

const { webhooks } = tables;

/** The most webhooks of an account: each event is delivered to each. */
const MAX_WEBHOOKS = 20;
/** How long the former secret also signs. */
const OVERLAP_MS = 24 * 3_600_000;

const columns = {
  id: webhooks.id,
  accountId: webhooks.accountId,
  url: webhooks.url,
  events: webhooks.events,
  status: webhooks.status,
  oldUntil: webhooks.oldUntil,
  createdAt: webhooks.createdAt,
};

/** A webhook as people see it. */
export type Webhook = RowOf<typeof columns>;

/** The webhooks' owner: an account, or null for the operators. */
export type NotificationOwner = { accountId: AccountId | null };
type WebhookRef = NotificationOwner & { webhookId: string };

const isOf = ({ accountId }: NotificationOwner): SQL =>
  accountId === null ? isNull(webhooks.accountId) : eq(webhooks.accountId, accountId);
const isTarget = (target: WebhookRef) => and(eq(webhooks.id, target.webhookId), isOf(target));

const unknown =
  ({ webhookId }: WebhookRef) =>
  () =>
    new Refusal(`webhook "${webhookId}" does not exist`, "webhookUnknown");

/** Newest first. */
export const listWebhooks = async (db: Db, whose: NotificationOwner): Promise<Webhook[]> =>
  await ormOf(db).select(columns).from(webhooks).where(isOf(whose)).orderBy(desc(webhooks.id));

/** Throws Refusal. */
export const getWebhook = async (db: Db, target: WebhookRef): Promise<Webhook> =>
  await rowOrRefuse(ormOf(db).select(columns).from(webhooks).where(isTarget(target)), unknown(target));

export type WebhookSettings = { url: string; events: EventType[] };

/** Only this answer contains the secret in clear. Throws Refusal. */
export async function createWebhook(
  db: Db,
  settings: NotificationOwner & WebhookSettings,
  vault: Vault,
): Promise<Webhook & { secret: string }> {
  // Two concurrent calls may both see room: one webhook more does no harm.
  if ((await listWebhooks(db, settings)).length >= MAX_WEBHOOKS) {
    throw new Refusal(`there are ${MAX_WEBHOOKS} webhooks already`, "webhooksTooMany", {
      max: String(MAX_WEBHOOKS),
    });
  }
  const secret = mintWebhookSecret();
  const row = await rowOrRefuse(
    ormOf(db)
      .insert(webhooks)
      .values({ ...settings, id: newId("whk"), secret: vault.seal(secret) })
      .returning(columns),
    () => new Error("the webhook was not stored"),
  );
  return { ...row, secret };
}

/** Throws Refusal. */
export const changeWebhook = async (
  db: Db,
  target: WebhookRef,
  change: Partial<WebhookSettings> & { status?: Status },
): Promise<Webhook> =>
  await rowOrRefuse(
    ormOf(db).update(webhooks).set(change).where(isTarget(target)).returning(columns),
    unknown(target),
  );

/** Sets a new secret; the former one also signs for a day. Throws Refusal. */
export async function rotateWebhookSecret(
  db: Db,
  { now, ...target }: WebhookRef & { now: Date },
  vault: Vault,
): Promise<Webhook & { secret: string }> {
  const secret = mintWebhookSecret();
  const row = await rowOrRefuse(
    ormOf(db)
      .update(webhooks)
      .set({
        secret: vault.seal(secret),
        oldSecret: sql`${webhooks.secret}`,
        oldUntil: new Date(now.getTime() + OVERLAP_MS),
      })
      .where(isTarget(target))
      .returning(columns),
    unknown(target),
  );
  return { ...row, secret };
}

/** Removes a webhook with its deliveries. Throws Refusal. */
export const removeWebhook = async (db: Db, target: WebhookRef): Promise<Webhook> =>
  await rowOrRefuse(ormOf(db).delete(webhooks).where(isTarget(target)).returning(columns), unknown(target));
