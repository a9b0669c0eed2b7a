import type { Config } from "@/server/base/config";
import { publicAddress } from "@/server/base/own-address";
import type { Channels } from "@/server/channels";
import { tellAnomalies } from "./anomalies";
import { announceChannels } from "./channels";
import { subscribeByDefault } from "./default-subscriptions";
import { type DeliverDeps, deliverDue } from "./deliver";
import { tidyDeliveries } from "./deliveries";
import { createWebhookAgent } from "./guard";
import { answerPasswordRequest } from "./password-mails";
import { type MailDeps, sendNext } from "./send-mails";
import { createPost, serverOf } from "./smtp";
import { tellThresholds } from "./thresholds";
import type { SigningSecrets } from "./unsubscribe";
import { announceModels } from "./vendor-models";

type WorkDeps = Omit<DeliverDeps, "agent" | "allowPrivate"> & {
  config: Config;
  secrets: SigningSecrets;
  channels: Pick<Channels, "verdicts" | "listModels">;
  /** The current billing month. */
  period: () => string;
};

/** Background work of notifications. */
export type NotificationWork = {
  /** Delivers events to webhooks. */
  deliver: () => Promise<void>;
  /** Sends e-mails, if there is an SMTP server: links that people have asked for, then events. */
  mail: () => Promise<void>;
  /** Looks for levels of months and caps that were reached, and before that for people to subscribe. */
  watch: () => Promise<void>;
  /** Looks for channels that have begun to fail or have recovered. */
  watchChannels: () => Promise<void>;
  /** Asks vendors for their models, on the schedules of channels. */
  watchModels: () => Promise<void>;
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
    timeZone: config.BILLING_TIMEZONE,
  };
  return {
    deliver: async () => {
      while ((await deliverDue({ ...deps, agent, allowPrivate })) > 0) {
        // Until nothing is due.
      }
    },
    mail: async () => {
      while (mail && (await answerPasswordRequest({ ...mail, config }))) {
        // Until no request is due.
      }
      while (mail && (await sendNext(mail))) {
        // Until nothing is due.
      }
    },
    watch: async () => {
      if (mail) {
        await subscribeByDefault(deps.db);
      }
      await tellThresholds(deps.db, {
        ...{ period: period(), now: deps.clock(), timeZone: config.BILLING_TIMEZONE },
      });
    },
    watchChannels: () => announceChannels(deps, deps.clock()),
    watchModels: async () => {
      while (await announceModels(deps, deps.clock())) {
        // Until no vendor is due.
      }
    },
    watchSpend: () =>
      tellAnomalies(deps.db, { period: period(), now: deps.clock(), timeZone: config.BILLING_TIMEZONE }),
    tidy: () => tidyDeliveries(deps.db),
    close: () => agent.destroy(),
  };
}
