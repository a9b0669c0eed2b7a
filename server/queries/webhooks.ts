import { z } from "zod";
import { getWebhook, listDeliveries, listWebhooks } from "@/server/notifications";
import { webhookOperations } from "@/server/operations";
import { Id } from "@/server/operations/schema";
import { query } from "./query";

/** Webhooks of an account, or with null of the operators; newest first. */
export const list = query({
  needs: "notifications.read",
  input: z.strictObject({ accountId: webhookOperations.Whose }),
  read: ({ db }, whose) => listWebhooks(db, whose),
});

/** The latest deliveries of a webhook, newest first. */
export const deliveries = query({
  needs: "notifications.read",
  input: z.strictObject({ accountId: webhookOperations.Whose, webhookId: Id }),
  read: ({ db }, ids) => listDeliveries(db, ids),
});

export const get = query({
  needs: "notifications.read",
  input: z.strictObject({ accountId: webhookOperations.Whose, webhookId: Id }),
  read: ({ db }, ids) => getWebhook(db, ids),
});
