import type { Billing } from "@/server/billing";

/** Billing in which it is another month than by the clock. */
export const billingAt = (billing: Billing, period: () => string): Billing => ({
  ...billing,
  period,
  payer: async (buyer, options) => ({ ...(await billing.payer(buyer, options)), period: period() }),
});
