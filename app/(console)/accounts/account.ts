import type { inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "@/server/console";

type Outputs = inferRouterOutputs<AppRouter>["accounts"];

/** An account in the list, with its month. */
export type AccountRow = Outputs["list"]["rows"][number];

/** An account on its own page. */
export type Account = Outputs["get"];

export type AccountKey = Outputs["keys"]["list"]["rows"][number];
