import type { Billing } from "@/server/billing";

/** Billing in another month than the clock's. */
export const billingAt = (billing: Billing, period: () => string): Billing => ({
  ...billing,
  period,
  payer: async (buyer, options) => ({ ...(await billing.payer(buyer, options)), period: period() }),
});
