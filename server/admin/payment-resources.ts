/** Resources of the admin API: payments by customers. */
import { z } from "zod";
import { disputeStates, paymentProviders, paymentStates } from "@/server/domain/enums";
import { Money, Named, Time } from "./shapes";

export const paymentResources = {
  Payment: z.object({
    id: z.string(),
    account: Named,
    provider: z.enum(paymentProviders),
    state: z
      .enum(paymentStates)
      .describe(
        "`paid`: credited in the ledger; `review`: the amount paid differs from the amount requested",
      ),
    amount: Money,
    currency: z.string(),
    reference: z.string().nullable().describe("The ID of the payment at the provider"),
    refunded: Money.describe("The amount refunded by the provider"),
    debited: Money.describe("The part of the refund that was debited here"),
    notDebited: Money.describe("The part of the refund that had already been spent"),
    dispute: z.enum(disputeStates).nullable(),
    period: z.string().nullable().describe("The month to which it was credited"),
    createdAt: Time,
    changedAt: Time,
  }),
  NewPayment: z.object({
    id: z.string(),
    amount: Money,
    currency: z.string(),
    url: z.string().describe("The payment page at the provider, valid for one hour"),
  }),
};
