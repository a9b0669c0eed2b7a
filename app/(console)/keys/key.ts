import type { inferRouterInputs, inferRouterOutputs } from "@trpc/server";
import type { KeyState } from "@/server/base/facts";
import type { AppRouter } from "@/server/console";

type Outputs = inferRouterOutputs<AppRouter>["keys"];

export type KeyRow = Outputs["list"]["rows"][number];
export type KeyDetail = Outputs["get"];
export type NewKey = Outputs["create"];
export type RotatedKey = Outputs["rotate"];
/** The members of a key that a rotation needs. */
export type Rotated = Pick<KeyDetail, "id" | "name" | "lastFour" | "oldLastFour">;
export type KeyInput = inferRouterInputs<AppRouter>["keys"]["create"];

/** A key's state, by the same rule as the server's filter. */
export function stateOf(key: Pick<KeyRow, "status" | "expiresAt">, now: number): KeyState {
  if (key.status === "disabled") {
    return "disabled";
  }
  return key.expiresAt !== null && new Date(key.expiresAt).getTime() <= now ? "expired" : "active";
}
