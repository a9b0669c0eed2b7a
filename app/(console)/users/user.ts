import type { inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "@/server/console";

/** A user: of an account, or an operator. */
export type UserRow = inferRouterOutputs<AppRouter>["users"]["list"][number];
