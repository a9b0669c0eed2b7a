/** The health of the stored channels, as screens, metrics and alarms show it. */

import type { Db } from "@/server/db";
import type { VendorApi } from "@/server/domain/enums";
import type { ChannelId } from "@/server/domain/ids";
import type { Verdict } from "./health/alarm";
import type { ChannelHealth, HealthRegistry } from "./health/registry";
import { type ChannelState, currentFault, stateOf } from "./health/state";
import { findVersions } from "./routing/routes";
import { listChannels } from "./settings/view";

type ChannelStanding = {
  channelId: ChannelId;
  name: string;
  /** The API that the channel speaks. */
  api: VendorApi;
  state: ChannelState;
  fault: ChannelHealth["lastFault"];
  /** One entry per operation. */
  seen: ChannelHealth[];
};

export type ChannelVerdict = Verdict & { channelId: ChannelId; name: string };

export type Standings = {
  /** The health of each existing channel since its last change. */
  health: () => Promise<ChannelHealth[]>;
  /** Each channel's state, in the one word used for it, and its current fault. */
  states: () => Promise<ChannelStanding[]>;
  /** The verdict on the recent attempts of each enabled channel, through any process. */
  verdicts: (now: Date) => Promise<ChannelVerdict[]>;
};

export function createStandings(db: Db, healths: HealthRegistry): Standings {
  const health = async () => {
    const versions = new Map((await findVersions(db)).map((row) => [row.channelId, row.version]));
    return healths
      .view()
      .filter(({ channelId, version }) => versions.get(channelId) === version)
      .map(({ version: _, ...view }) => view);
  };
  return {
    health,
    states: async () => {
      const all = await health();
      return (await listChannels(db)).map(({ id, name, dialect, isEnabled, isMovedOff }) => {
        const samples = all.filter(({ channelId }) => channelId === id);
        return {
          channelId: id,
          name,
          api: dialect,
          state: stateOf({ isEnabled, isMovedOff }, samples),
          fault: currentFault(samples),
          seen: samples,
        };
      });
    },
    verdicts: async (now) =>
      (await findVersions(db))
        .filter(({ isEnabled }) => isEnabled)
        .map(({ channelId, name, version }) => ({
          ...{ channelId, name },
          ...healths.judge({ channelId, version }, now),
        })),
  };
}
