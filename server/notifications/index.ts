/**
 * Notifications: telling programs and people, of accounts and operators', what happens. Hides the queue, signatures,
 * attempts, where a webhook may not point, how a letter is written and sent, and when a channel fails. Promises that what
 * was announced in a transaction is told at least once if that transaction was committed, and never else; and that
 * nothing is sent to a private address that nobody allowed.
 */
export { announce } from "./announce";
export { failingSince } from "./channels";
export { listDeliveries, redeliver, sendTest } from "./deliveries";
export {
  changeWebhook,
  createWebhook,
  getWebhook,
  listWebhooks,
  removeWebhook,
  rotateWebhookSecret,
  type Webhook,
} from "./endpoints";
export { eraseNews } from "./erase";
export { refuseUrl } from "./guard";
export { measureOutbox } from "./measure";
export { getRecipient, listRecipients, type Recipient, sendTestMail, setRecipient } from "./recipients";
export { resealWebhooks } from "./reseal";
export { createNotificationWork, type NotificationWork } from "./work";
