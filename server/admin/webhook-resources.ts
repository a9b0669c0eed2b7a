/** Resources of the admin API: webhooks. */
import { z } from "zod";
import { eventTypes, statuses } from "@/server/base/enums";
import { Time } from "./shapes";

const Webhook = z.object({
  id: z.string(),
  accountId: z.string().nullable().describe("null: the operators', who are told of every account"),
  url: z.string(),
  events: z.array(z.string()).describe(`Of: ${eventTypes.join(", ")}`),
  status: z.enum(statuses),
  oldUntil: Time.nullable().describe("Until then the secret before signs as well"),
  createdAt: Time,
});

export const webhookResources = {
  Webhook,
  NewWebhook: Webhook.extend({
    secret: z.string().describe("What deliveries are signed with: it is in this answer and nowhere else"),
  }),
  Delivery: z.object({
    id: z.string().describe("The `webhook-id` of every attempt"),
    type: z.string(),
    body: z.string().describe("JSON, as it is signed"),
    attempts: z.number().int(),
    dueAt: Time.nullable().describe("The next attempt; null: there is none"),
    answered: z.number().int().nullable().describe("The status of the last attempt; null: no answer"),
    problem: z.string().nullable().describe("Why there was none"),
    deliveredAt: Time.nullable(),
    createdAt: Time,
  }),
};
