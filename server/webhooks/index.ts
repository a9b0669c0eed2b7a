/**
 * Webhooks: telling programs of accounts, and operators', what happens. Hides the queue, signatures, attempts and where
 * a webhook may not point. Promises that what was announced in a transaction is told at least once if that transaction
 * was committed, and never else; and that nothing is sent to a private address that nobody allowed.
 */
export { announce } from "./announce";
export { listDeliveries, redeliver, sendTest } from "./deliveries";
export {
  changeWebhook,
  createWebhook,
  eraseWebhooks,
  getWebhook,
  listWebhooks,
  removeWebhook,
  rotateWebhookSecret,
  type Webhook,
} from "./endpoints";
export { refuseUrl } from "./guard";
export { resealWebhooks } from "./reseal";
export { createWebhookWork, type WebhookWork } from "./work";
