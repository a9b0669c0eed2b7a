/** Webhooks: URLs that receive events. */
import { z } from "zod";
import { getAccount } from "@/server/access";
import type { Action } from "@/server/audit";
import { eventTypes } from "@/server/domain/enums";
import type { AccountId as Account } from "@/server/domain/ids";
import {
  changeWebhook,
  createWebhook,
  getWebhook,
  redeliver as redeliverTo,
  refuseUrl,
  removeWebhook,
  rotateWebhookSecret,
  sendTest,
  type Webhook,
} from "@/server/notifications";
import { refuseForeign } from "./events";
import { operation, type TxContext } from "./operation";
import { AccountId, Id, Status } from "./schema";

const Url = z.string().trim().min(1).max(2_000);
const Events = z
  .array(z.enum(eventTypes))
  .min(1)
  .max(eventTypes.length)
  .transform((events) => [...new Set(events)]);

export const Whose = AccountId.nullable()
  .default(null)
  .describe("null or omitted: a webhook of the operators, for the events of all accounts");
const target = { accountId: Whose, webhookId: Id };

const change = (action: Action, { id, accountId, url, events, status }: Webhook) => ({
  ...{ action, accountId, target: { id, name: new URL(url).host } },
  terms: { url, events, status },
});

async function refuseUnknown({ db }: TxContext, accountId: Account | null): Promise<void> {
  if (accountId !== null) {
    await getAccount(db, accountId);
  }
}

/** Only this answer contains the secret in clear. */
export const create = operation({
  needs: "notifications.write",
  input: z.strictObject({ accountId: Whose, url: Url, events: Events }),
  run: async (call, input) => {
    const { db, config, vault } = call;
    refuseForeign(input.accountId, input.events);
    await refuseUnknown(call, input.accountId);
    refuseUrl(input.url, config.WEBHOOKS_ALLOW_PRIVATE);
    const { secret, ...webhook } = await createWebhook(db, input, vault);
    const { terms, ...made } = change("webhook.create", webhook);
    return { ...made, after: terms, result: { ...webhook, secret } };
  },
});

export const update = operation({
  needs: "notifications.write",
  input: z.strictObject({
    ...target,
    url: Url.optional(),
    events: Events.optional(),
    status: Status.optional(),
  }),
  run: async ({ db, config }, { url, events, status, ...ids }) => {
    refuseForeign(ids.accountId, events ?? []);
    const before = change("webhook.update", await getWebhook(db, ids));
    if (url !== undefined) {
      refuseUrl(url, config.WEBHOOKS_ALLOW_PRIVATE);
    }
    const settings = {
      ...(url !== undefined && { url }),
      ...(events && { events }),
      status: status ?? before.terms.status,
    };
    const webhook = await changeWebhook(db, ids, settings);
    const { terms, ...made } = change("webhook.update", webhook);
    return { ...made, before: before.terms, after: terms, result: webhook };
  },
});

/** Sets a new secret, which only this answer contains in clear; the former one also signs for 24 hours. */
export const rotate = operation({
  needs: "notifications.write",
  input: z.strictObject(target),
  run: async ({ db, vault }, ids) => {
    const { secret, ...webhook } = await rotateWebhookSecret(db, { ...ids, now: new Date() }, vault);
    const { terms: _, ...made } = change("webhook.rotate", webhook);
    return { ...made, result: { ...webhook, secret } };
  },
});

export const remove = operation({
  needs: "notifications.write",
  input: z.strictObject(target),
  run: async ({ db }, ids) => {
    const webhook = await removeWebhook(db, ids);
    const { terms, ...made } = change("webhook.delete", webhook);
    return { ...made, before: terms, result: webhook };
  },
});

/** Sends a test event to one webhook. */
export const test = operation({
  needs: "notifications.write",
  input: z.strictObject(target),
  run: async ({ db }, ids) => {
    const { terms: _, ...made } = change("webhook.test", await getWebhook(db, ids));
    return { ...made, result: await sendTest(db, { ...ids, now: new Date() }) };
  },
});

/** Repeats a delivery with the same `webhook-id`. */
export const redeliver = operation({
  needs: "notifications.write",
  input: z.strictObject({ ...target, deliveryId: Id }),
  run: async ({ db }, ids) => {
    const { terms: _, ...made } = change("webhook.redeliver", await getWebhook(db, ids));
    return { ...made, result: await redeliverTo(db, { ...ids, now: new Date() }) };
  },
});
