/** Resources of the admin API: webhooks. */
import { z } from "zod";
import { eventTypes, statuses } from "@/server/domain/enums";
import { Time } from "./shapes";

const Webhook = z.object({
  id: z.string(),
  accountId: z
    .string()
    .nullable()
    .describe("null: a webhook of the operators, for the events of all accounts"),
  url: z.string(),
  events: z.array(z.string()).describe(`Any of: ${eventTypes.join(", ")}`),
  status: z.enum(statuses),
  oldUntil: Time.nullable().describe("Until then deliveries are also signed with the previous secret"),
  createdAt: Time,
});

export const webhookResources = {
  Webhook,
  NewWebhook: Webhook.extend({
    secret: z.string().describe("The signing secret; shown only in this response"),
  }),
  Delivery: z.object({
    id: z.string().describe("The `webhook-id` of every attempt"),
    type: z.string(),
    body: z.string().describe("The signed JSON body"),
    attempts: z.number().int(),
    dueAt: Time.nullable().describe("The next attempt; null: none"),
    answered: z.number().int().nullable().describe("The status of the last attempt; null: no response"),
    problem: z.string().nullable().describe("Why there was no response"),
    deliveredAt: Time.nullable(),
    createdAt: Time,
  }),
};
