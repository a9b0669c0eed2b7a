import type { inferRouterInputs, inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "@/server/console";

export type PriceGroup = inferRouterOutputs<AppRouter>["prices"]["groups"][number];
export type NewGroup = Required<inferRouterInputs<AppRouter>["prices"]["createGroup"]>;
