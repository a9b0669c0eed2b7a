import { z } from "zod";
import { getRecipient, listRecipients } from "@/server/notifications";
import { alertOperations } from "@/server/operations";
import { Id } from "@/server/operations/schema";
import { query } from "./query";

/** The users of an account, or with null the operators, and the events that each receives by e-mail. */
export const list = query({
  needs: "notifications.read",
  input: z.strictObject({ accountId: alertOperations.Whose }),
  read: async ({ db, config }, whose) => ({
    isMailSetUp: config.SMTP_URL !== undefined,
    recipients: await listRecipients(db, whose),
  }),
});

export const get = query({
  needs: "notifications.read",
  input: z.strictObject({ accountId: alertOperations.Whose, userId: Id }),
  read: ({ db }, ids) => getRecipient(db, ids),
});
