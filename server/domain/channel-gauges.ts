import type { Registry } from "prom-client";
import { boundedNames } from "@/server/base/bounded-names";
import { gauge, onceForAll } from "@/server/base/gauges";

/** The state of a channel, as seen by this process. */
export type ChannelLook = {
  channelId: string;
  name: string;
  /** The upstream's provider, by its OpenTelemetry name. */
  provider: string;
  state: string;
  /**
   * One entry per operation. `state`: of the breaker. `resting`: indexes of the credentials that rest for all accounts.
   */
  operations: { operation: string; state: string; resting: number[]; accountsApart: number }[];
};

/**
 * Gauges of channels, filled at each scrape by `look`, which answers in time. Only the first process's values count:
 * processes share what they see, and a sum would count it once for each.
 */
export function addChannelGauges(registry: Registry, look: () => Promise<ChannelLook[]>): void {
  const nameOf = boundedNames();
  const options = { registers: [registry], aggregator: "first" as const };
  const collect = onceForAll(
    async () => {
      const looks = await look();
      for (const each of [state, info, breaker, resting, apart]) {
        each.reset();
      }
      for (const { channelId, name, provider, operations, ...standing } of looks) {
        const channel = nameOf(name);
        state.set({ channel: channelId, state: standing.state }, 1);
        info.set({ channel: channelId, name: channel, gen_ai_provider_name: provider }, 1);
        for (const health of operations) {
          breaker.set({ channel, operation: health.operation, state: health.state }, 1);
        }
        resting.set({ channel }, new Set(operations.flatMap((health) => health.resting)).size);
        apart.set({ channel }, Math.max(0, ...operations.map(({ accountsApart }) => accountsApart)));
      }
    },
    () => {},
  );
  const state = gauge({
    ...options,
    name: "tollgate_channel_state",
    help: "1 for the current state of each channel, as seen by this server. channel: its ID.",
    labelNames: ["channel", "state"] as const,
    collect,
  });
  const info = gauge({
    ...options,
    name: "tollgate_channel_info",
    help: "1 for each channel, with its ID, name and vendor.",
    labelNames: ["channel", "name", "gen_ai_provider_name"] as const,
    collect,
  });
  const breaker = gauge({
    ...options,
    name: "tollgate_channel_breaker",
    help: "1 for the current state of each breaker: closed, open (paused), half_open (the next call is a probe).",
    labelNames: ["channel", "operation", "state"] as const,
    collect,
  });
  const resting = gauge({
    ...options,
    name: "tollgate_channel_credentials_resting",
    help: "Credentials of a channel that are paused for all accounts.",
    labelNames: ["channel"] as const,
    collect,
  });
  const apart = gauge({
    ...options,
    name: "tollgate_channel_accounts_apart",
    help: "Accounts for which a channel or a credential is paused, while it is available to others.",
    labelNames: ["channel"] as const,
    collect,
  });
}
