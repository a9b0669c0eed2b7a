import type { Caller, Door } from "./code-doors";

const url = "https://hooks.doors.test/told";

/** What is done with an account's webhooks, by every door. */
export const webhookSteps = (operator: () => Caller): Record<string, Door> => ({
  "webhook.create": {
    console: ({ accountId }) =>
      operator().installationWebhooks.create({ accountId, url, events: ["video.failed"] }),
    command: ({ name }) => `webhook create --account ${name} --url ${url} --event video.failed`,
    admin: ({ accountId }) => ["POST /webhooks", { account_id: accountId, url, events: ["video.failed"] }],
    learn: (of, { id }) => void Object.assign(of, { webhookId: id }),
  },
  "webhook.update": {
    console: ({ accountId, webhookId }) =>
      operator().installationWebhooks.update({ accountId, webhookId, status: "disabled" }),
    command: ({ name, webhookId }) => `webhook update --account ${name} --webhook ${webhookId} --disable`,
    admin: ({ accountId, webhookId }) => [
      `PATCH /webhooks/${webhookId}`,
      { account_id: accountId, status: "disabled" },
    ],
  },
  "webhook.rotate": {
    console: ({ accountId, webhookId }) => operator().installationWebhooks.rotate({ accountId, webhookId }),
    command: ({ name, webhookId }) => `webhook rotate --account ${name} --webhook ${webhookId}`,
    admin: ({ accountId, webhookId }) => [`POST /webhooks/${webhookId}/secrets`, { account_id: accountId }],
  },
  "webhook.test": {
    console: ({ accountId, webhookId }) => operator().installationWebhooks.test({ accountId, webhookId }),
    command: ({ name, webhookId }) => `webhook test --account ${name} --webhook ${webhookId}`,
    admin: ({ accountId, webhookId }) => [`POST /webhooks/${webhookId}/tests`, { account_id: accountId }],
    learn: (of, { id }) => void Object.assign(of, { deliveryId: id }),
  },
  "webhook.redeliver": {
    console: ({ accountId, webhookId, deliveryId }) =>
      operator().installationWebhooks.redeliver({ accountId, webhookId, deliveryId }),
    command: ({ name, webhookId, deliveryId }) =>
      `webhook redeliver --account ${name} --webhook ${webhookId} --delivery ${deliveryId}`,
    admin: ({ accountId, webhookId, deliveryId }) => [
      `POST /webhooks/${webhookId}/redeliveries`,
      { account_id: accountId, delivery_id: deliveryId },
    ],
  },
  "webhook.delete": {
    console: ({ accountId, webhookId }) => operator().installationWebhooks.remove({ accountId, webhookId }),
    command: ({ name, webhookId }) => `webhook delete --account ${name} --webhook ${webhookId}`,
    admin: ({ accountId, webhookId }) => [`DELETE /webhooks/${webhookId}`, { account_id: accountId }],
  },
});
