import type { inferRouterInputs, inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "@/server/console";
import type { Trpc } from "../_components/data/prefetch";

type ManagementKeyOutputs = inferRouterOutputs<AppRouter>["managementKeys"];

export type ManagementKeyRow = ManagementKeyOutputs["list"][number];
export type NewManagementKey = ManagementKeyOutputs["create"];
export type ManagementKeyTerms = inferRouterInputs<AppRouter>["managementKeys"]["create"];

/** The management keys of an account, or of the installation. */
export const managementKeyLists = (trpc: Trpc) => ({
  owner: trpc.managementKeys.list.queryOptions(),
  operator: trpc.installationKeys.list.queryOptions({ accountId: null }),
});
