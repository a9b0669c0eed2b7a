import type { inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "@/server/console";

type CodeOutputs = inferRouterOutputs<AppRouter>["codes"];

export type CodeBatch = CodeOutputs["list"][number];
export type NewCodes = CodeOutputs["create"];
export type CodeUse = CodeOutputs["get"]["uses"][number];

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
