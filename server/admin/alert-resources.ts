/** Resources of the admin API: recipients of alerts by e-mail. */
import { z } from "zod";
import { languages } from "@/server/base/language";
import { eventTypes, statuses } from "@/server/domain/enums";

export const alertResources = {
  Recipient: z.object({
    userId: z.string(),
    email: z.string(),
    status: z.enum(statuses),
    events: z.array(z.string()).describe(`Any of: ${eventTypes.join(", ")}. Empty: no alerts`),
    language: z.enum(languages).nullable().describe("The language of the emails; null: not chosen"),
  }),
};
