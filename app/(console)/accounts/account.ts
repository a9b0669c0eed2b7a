import type { inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "@/server/console";

type AccountOutputs = inferRouterOutputs<AppRouter>["accounts"];

/** An account in the list, with its month. */
export type AccountRow = AccountOutputs["list"]["rows"][number];

/** An account on its own page. */
export type Account = AccountOutputs["get"];

export type AccountKey = AccountOutputs["keys"]["list"]["rows"][number];
