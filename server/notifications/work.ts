import type { Config } from "@/server/base/config";
import { publicAddress } from "@/server/base/config";
import type { Channels } from "@/server/channels";
import { tellAnomalies } from "./anomalies";
import { announceChannels } from "./channels";
import { type DeliverDeps, deliverDue } from "./deliver";
import { tidyDeliveries } from "./deliveries";
import { createWebhookAgent } from "./guard";
import { type MailDeps, sendNext } from "./mail";
import { createPost, serverOf } from "./smtp";
import { tellThresholds } from "./thresholds";

type WorkDeps = Omit<DeliverDeps, "agent" | "allowPrivate"> & {
  config: Config;
  channels: Pick<Channels, "verdicts">;
  /** The current billing month. */
  period: () => string;
};

/** Background work of notifications. */
export type NotificationWork = {
  /** Delivers events to webhooks. */
  deliver: () => Promise<void>;
  /** Sends e-mails, if there is an SMTP server. */
  mail: () => Promise<void>;
  /** Looks for levels of months and caps that were reached. */
  watch: () => Promise<void>;
  /** Looks for channels that have begun to fail or have recovered. */
  watchChannels: () => Promise<void>;
  /** Looks for accounts that spend far more than usual. */
  watchSpend: () => Promise<void>;
  tidy: () => Promise<void>;
  close: () => Promise<void>;
};

export function createNotificationWork({ period, config, ...deps }: WorkDeps): NotificationWork {
  const allowPrivate = config.WEBHOOKS_ALLOW_PRIVATE;
  const agent = createWebhookAgent(allowPrivate);
  const server = serverOf(config);
  const mail: MailDeps | null = server && {
    ...deps,
    ...{ post: createPost(server), origin: publicAddress(config), currency: config.CURRENCY },
  };
  return {
    deliver: async () => {
      while ((await deliverDue({ ...deps, agent, allowPrivate })) > 0) {
        // Until nothing is due.
      }
    },
    mail: async () => {
      while (mail && (await sendNext(mail))) {
        // Until nothing is due.
      }
    },
    watch: () =>
      tellThresholds(deps.db, {
        ...{ period: period(), now: deps.clock(), timeZone: config.BILLING_TIMEZONE },
      }),
    watchChannels: () => announceChannels(deps, deps.clock()),
    watchSpend: () =>
      tellAnomalies(deps.db, { period: period(), now: deps.clock(), timeZone: config.BILLING_TIMEZONE }),
    tidy: () => tidyDeliveries(deps.db),
    close: () => agent.destroy(),
  };
}
