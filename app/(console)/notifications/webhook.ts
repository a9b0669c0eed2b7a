import type { inferRouterInputs, inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "@/server/console";
import type { Trpc } from "../_components/data/prefetch";

type WebhookOutputs = inferRouterOutputs<AppRouter>["webhooks"];

export type WebhookRow = WebhookOutputs["list"][number];
export type DeliveryRow = WebhookOutputs["deliveries"][number];
export type NewWebhook = WebhookOutputs["create"];
export type WebhookTerms = inferRouterInputs<AppRouter>["webhooks"]["create"];

/** The webhooks of an account, or of the operators. */
export const webhookLists = (trpc: Trpc) => ({
  owner: trpc.webhooks.list.queryOptions({}),
  operator: trpc.installationWebhooks.list.queryOptions({}),
});
