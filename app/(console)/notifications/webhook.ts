import type { inferRouterInputs, inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "@/server/console";
import type { Trpc } from "../_components/prefetch";

type Outputs = inferRouterOutputs<AppRouter>["webhooks"];

export type WebhookRow = Outputs["list"][number];
export type DeliveryRow = Outputs["deliveries"][number];
export type NewWebhook = Outputs["create"];
export type WebhookTerms = inferRouterInputs<AppRouter>["webhooks"]["create"];

/** The webhooks of an account, or of the operators. */
export const webhookLists = (trpc: Trpc) => ({
  owner: trpc.webhooks.list.queryOptions({}),
  operator: trpc.installationWebhooks.list.queryOptions({}),
});
