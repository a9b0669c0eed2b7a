/**
 * Notifications: events for programs and people, of accounts and of operators. Hides the queue, signatures, attempts,
 * the addresses that a webhook may not have, how an e-mail is written and sent, and which of several replicas announces
 * an event. Promises that an event announced in a transaction is delivered at least once if that transaction was
 * committed, and otherwise never; and that nothing is sent to a private address unless the operator allows it.
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
export { type LinkKind, mailLink } from "./link-mail";
export { measureOutbox } from "./measure";
export { getRecipient, listRecipients, type Recipient, sendTestMail, setRecipient } from "./recipients";
export { resealWebhooks } from "./reseal";
export { readUnsubscribeToken } from "./unsubscribe";
export { createNotificationWork, type NotificationWork } from "./work";
