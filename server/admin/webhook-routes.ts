import { webhookOperations } from "@/server/operations";
import { webhookQueries } from "@/server/queries";
import { all, changes, operates, type Route, reads, resource } from "./route";
import { act, create, get, patch, remove } from "./verbs";

const showWebhook = reads(webhookQueries.get, resource("Webhook"));

/** Routes of webhooks. */
export const webhookRoutes: readonly Route[] = [
  get("/webhooks", "List webhooks", reads(webhookQueries.list, all("Webhook"))),
  create("/webhooks", "Create a webhook", operates(webhookOperations.create, resource("NewWebhook"))),
  get("/webhooks/{webhook_id}", "Show a webhook", showWebhook),
  patch(
    "/webhooks/{webhook_id}",
    "Change a webhook; enable or disable it",
    changes([operates(webhookOperations.update)], ["webhookId", "accountId"], showWebhook),
  ),
  remove(
    "/webhooks/{webhook_id}",
    "Delete a webhook and its delivery history",
    operates(webhookOperations.remove),
  ),
  create(
    "/webhooks/{webhook_id}/secrets",
    "Rotate the secret of a webhook; for 24 hours deliveries are signed with both",
    operates(webhookOperations.rotate, resource("NewWebhook")),
  ),
  create(
    "/webhooks/{webhook_id}/tests",
    "Send a test event to a webhook",
    operates(webhookOperations.test, resource("Delivery")),
  ),
  get(
    "/webhooks/{webhook_id}/deliveries",
    "List the latest deliveries of a webhook and their results",
    reads(webhookQueries.deliveries, all("Delivery")),
  ),
  act(
    "/webhooks/{webhook_id}/redeliveries",
    "Send a delivery again",
    operates(webhookOperations.redeliver, resource("Delivery")),
  ),
];
