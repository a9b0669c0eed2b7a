import { type DeliverDeps, deliverDue } from "./deliver";
import { tidyDeliveries } from "./deliveries";
import { createWebhookAgent } from "./guard";
import { tellThresholds } from "./thresholds";

type WorkDeps = Omit<DeliverDeps, "agent"> & {
  /** The billing month of this moment. */
  period: () => string;
};

/** What is done for webhooks without being asked. */
export type WebhookWork = {
  deliver: () => Promise<void>;
  /** Looks for shares of months and caps that have been reached. */
  watch: () => Promise<void>;
  tidy: () => Promise<void>;
  close: () => Promise<void>;
};

export function createWebhookWork({ period, ...deps }: WorkDeps): WebhookWork {
  const agent = createWebhookAgent(deps.allowPrivate);
  return {
    deliver: async () => {
      while ((await deliverDue({ ...deps, agent })) > 0) {
        // Until nothing is due.
      }
    },
    watch: () => tellThresholds(deps.db, { period: period(), now: deps.clock() }),
    tidy: () => tidyDeliveries(deps.db),
    close: () => agent.destroy(),
  };
}
