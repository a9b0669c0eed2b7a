import type { inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "@/server/console";

type Billing = inferRouterOutputs<AppRouter>["billing"];

/** A month's sums: decimal strings in currency units. */
export type Statement = Billing["statement"];
export type BillingEntry = Billing["entries"]["rows"][number];
export type ModelSpend = Billing["spend"]["models"][number];
