import type { inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "@/server/console";

type Billing = inferRouterOutputs<AppRouter>["billing"];

/** A month's sums: decimal strings in currency units. */
export type Statement = Billing["statement"];
export type BillingEntry = Billing["entries"]["rows"][number];
export type ModelSpend = Billing["spend"]["models"][number];

export type WholeStatement = inferRouterOutputs<AppRouter>["billing"]["wholeStatement"];

/** A decimal with the other sign: `5` becomes `-5`, and zero stays zero. */
export function minus(amount: string): string {
  if (amount === "0") {
    return amount;
  }
  return amount.startsWith("-") ? amount.slice(1) : `-${amount}`;
}
