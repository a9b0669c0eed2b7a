import type { inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "@/server/console";

type Billing = inferRouterOutputs<AppRouter>["billing"];

/** A month's sums: decimal strings in currency units. */
export type Statement = Billing["statement"];
export type BillingEntry = Billing["entries"]["rows"][number];
export type ModelSpend = Billing["spend"]["models"][number];

export type WholeStatement = inferRouterOutputs<AppRouter>["billing"]["wholeStatement"];

/** A term of a sum as it is printed: its sign, and its amount without one. `isTaken`: the term is subtracted. */
export function termOf(amount: string, isTaken = false): { sign: "+" | "−"; amount: string } {
  const isNegative = amount.startsWith("-");
  return { sign: isNegative === isTaken ? "+" : "−", amount: isNegative ? amount.slice(1) : amount };
}
