import { webhookOperations } from "@/server/operations";
import { webhookQueries } from "@/server/queries";
import { all, changes, operates, type Route, reads, resource } from "./route";
import { act, create, get, patch, remove } from "./verbs";

const showWebhook = reads(webhookQueries.get, resource("Webhook"));

/** Routes of webhooks. */
export const webhookRoutes: readonly Route[] = [
  get("/webhooks", "List webhooks", reads(webhookQueries.list, all("Webhook"))),
  create(
    "/webhooks",
    "Have a URL told of what happens",
    operates(webhookOperations.create, resource("NewWebhook")),
  ),
  get("/webhooks/{webhook_id}", "Show a webhook", showWebhook),
  patch(
    "/webhooks/{webhook_id}",
    "Change a webhook, enable or disable it",
    changes([operates(webhookOperations.update)], ["webhookId", "accountId"], showWebhook),
  ),
  remove("/webhooks/{webhook_id}", "Remove a webhook", operates(webhookOperations.remove)),
  create(
    "/webhooks/{webhook_id}/secrets",
    "Give a webhook a new secret; the one before signs beside it for 24 hours",
    operates(webhookOperations.rotate, resource("NewWebhook")),
  ),
  create(
    "/webhooks/{webhook_id}/tests",
    "Tell a webhook that it is one",
    operates(webhookOperations.test, resource("Delivery")),
  ),
  get(
    "/webhooks/{webhook_id}/deliveries",
    "List the last that a webhook was told, and how that went",
    reads(webhookQueries.deliveries, all("Delivery")),
  ),
  act(
    "/webhooks/{webhook_id}/redeliveries",
    "Tell a webhook the same once more",
    operates(webhookOperations.redeliver, resource("Delivery")),
  ),
];
