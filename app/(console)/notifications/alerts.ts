import type { inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "@/server/console";
import type { Trpc } from "../_components/data/prefetch";

export type RecipientRow = inferRouterOutputs<AppRouter>["alerts"]["list"]["recipients"][number];

/** The recipients of an account, or the operators. */
export const alertLists = (trpc: Trpc) => ({
  owner: trpc.alerts.list.queryOptions({}),
  operator: trpc.installationAlerts.list.queryOptions({}),
});
