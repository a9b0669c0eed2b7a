import type { inferRouterInputs, inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "@/server/console";

type Outputs = inferRouterOutputs<AppRouter>["keys"];

export type KeyRow = Outputs["list"]["rows"][number];
export type KeyDetail = Outputs["get"];
export type NewKey = Outputs["create"];
export type KeyTerms = inferRouterInputs<AppRouter>["keys"]["create"];

export const keyStates = ["active", "disabled", "expired"] as const;
export type KeyState = (typeof keyStates)[number];

/** As the server filters: a key that is disabled is only that, expired or not. */
export function stateOf(key: Pick<KeyRow, "status" | "expiresAt">, now: number): KeyState {
  if (key.status === "disabled") {
    return "disabled";
  }
  return key.expiresAt !== null && new Date(key.expiresAt).getTime() <= now ? "expired" : "active";
}
