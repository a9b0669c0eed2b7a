/** Resources of the admin API: payments by customers. */
import { z } from "zod";
import { disputeStates, paymentProviders, paymentStates } from "@/server/base/enums";
import { Money, Named, Time } from "./shapes";

export const paymentResources = {
  Payment: z.object({
    id: z.string(),
    account: Named,
    provider: z.enum(paymentProviders),
    state: z
      .enum(paymentStates)
      .describe("`paid`: it is in the ledger; `review`: what was paid is not what was asked for"),
    amount: Money,
    currency: z.string(),
    reference: z.string().nullable().describe("The provider's name of the payment"),
    refunded: Money.describe("What the provider has paid back"),
    debited: Money.describe("What of it was debited here"),
    notDebited: Money.describe("What of it had been spent"),
    dispute: z.enum(disputeStates).nullable(),
    period: z.string().nullable().describe("The month that it was credited to"),
    createdAt: Time,
    changedAt: Time,
  }),
  NewPayment: z.object({
    id: z.string(),
    amount: Money,
    currency: z.string(),
    url: z.string().describe("The provider's page on which it is paid, for an hour"),
  }),
};
