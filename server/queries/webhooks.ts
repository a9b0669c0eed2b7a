import { z } from "zod";
import { getWebhook, listDeliveries, listWebhooks } from "@/server/notifications";
import { webhookOperations } from "@/server/operations";
import { Id } from "@/server/operations/schema";
import { query } from "./query";

/** An account's, or with null the operators'; newest first. */
export const list = query({
  needs: "notifications.read",
  input: z.strictObject({ accountId: webhookOperations.Whose }),
  read: ({ db }, whose) => listWebhooks(db, whose),
});

/** The last that a webhook was told, newest first. */
export const deliveries = query({
  needs: "notifications.read",
  input: z.strictObject({ accountId: webhookOperations.Whose, webhookId: Id }),
  read: ({ db }, of) => listDeliveries(db, of),
});

export const get = query({
  needs: "notifications.read",
  input: z.strictObject({ accountId: webhookOperations.Whose, webhookId: Id }),
  read: ({ db }, of) => getWebhook(db, of),
});
