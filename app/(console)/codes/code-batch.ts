import type { inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "@/server/console";

type Outputs = inferRouterOutputs<AppRouter>["codes"];

export type CodeBatch = Outputs["list"][number];
export type NewCodes = Outputs["create"];
export type CodeUse = Outputs["get"]["uses"][number];

/** A batch's state to show, at `now` (epoch ms). */
export function batchState(batch: CodeBatch, now: number): "open" | "spent" | "expired" | "disabled" {
  if (batch.redeemed === batch.codes) {
    return "spent";
  }
  if (batch.disabledAt !== null) {
    return "disabled";
  }
  return batch.expiresAt !== null && new Date(batch.expiresAt).getTime() <= now ? "expired" : "open";
}
