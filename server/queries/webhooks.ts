import { z } from "zod";
import { AccountId, Id } from "@/server/operations/schema";
import { listDeliveries, listWebhooks } from "@/server/webhooks";
import { query } from "./query";

/** An account's, or with null the operators'; newest first. */
export const list = query({
  by: ["owner", "operator"],
  input: z.strictObject({ accountId: AccountId.nullable() }),
  read: ({ db }, whose) => listWebhooks(db, whose),
});

/** The last that a webhook was told, newest first. */
export const deliveries = query({
  by: ["owner", "operator"],
  input: z.strictObject({ accountId: AccountId.nullable(), webhookId: Id }),
  read: ({ db }, of) => listDeliveries(db, of),
});
