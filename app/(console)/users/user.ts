import type { inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "@/server/console";

/** Somebody who may sign in: an account's user, or one of those who run the gateway. */
export type UserRow = inferRouterOutputs<AppRouter>["users"]["list"][number];
