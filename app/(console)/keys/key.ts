import type { inferRouterInputs, inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "@/server/console";
import type { KeyState } from "@/server/domain/enums";

type KeyOutputs = inferRouterOutputs<AppRouter>["keys"];

export type KeyRow = KeyOutputs["list"]["rows"][number];
export type KeyDetail = KeyOutputs["get"];
export type NewKey = KeyOutputs["create"];
export type RotatedKey = KeyOutputs["rotate"];
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
