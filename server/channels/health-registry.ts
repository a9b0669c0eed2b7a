import { LRUCache } from "lru-cache";
import type { ChannelId } from "@/server/base/ids";
import type { Operation } from "@/server/upstream";
import { createHealth, type Health, type HealthView } from "./health";
import {
  createTeller,
  faultOf,
  type Seen,
  type Sighting,
  type Sightings,
  type StreamEnd,
  type Subject,
} from "./sightings";

/** One operation of a channel, as this server has seen it since the channel was changed last. */
export type ChannelHealth = HealthView & { channelId: ChannelId; operation: Operation };

/** More than there are channels and operations: what falls out belongs to channels that were changed or removed. */
const MAX_ENTRIES = 5_000;

export type HealthRegistry = {
  /** Each operation its own: an upstream that cannot count tokens, or embed, may well converse. */
  of: (channel: Subject, operation: Operation) => Health;
  /** How an attempt of this process ended, which has been run. The others hear of it. */
  note: (channel: Subject, seen: Seen) => void;
  /** How a stream of this process ended that had been noted to have begun well. The others hear of it. */
  noteStreamEnd: (channel: Subject, seen: StreamEnd) => void;
  view: () => (ChannelHealth & Subject)[];
};

/** An attempt of another process, as if it had been made here and ended at once. */
async function repeatHere(health: Health, sighting: Sighting): Promise<void> {
  const { accountId, isCounted, oks } = sighting;
  const fault = faultOf(sighting);
  if (sighting.isStreamEnd) {
    health.noteStreamEnd(sighting, fault);
    return;
  }
  // A probe of our own says more, and what is run would wait for it.
  const hasRun = isCounted && !health.isProbing(accountId);
  if (hasRun) {
    const again = () => (fault ? Promise.reject(fault) : Promise.resolve());
    // It ends as it was told; a breaker that is open hears of nothing.
    await health.run(accountId, again).catch(() => {});
  }
  if (fault) {
    health.noteFault(sighting, fault);
  } else {
    health.noteOk(sighting, { hasRun, times: oks });
  }
}

/** A changed channel starts anew: what its old address and credentials did says nothing about the new ones. */
export function createHealthRegistry(sightings?: Sightings): HealthRegistry {
  const entries = new LRUCache<string, Subject & { operation: Operation; health: Health }>({
    max: MAX_ENTRIES,
  });
  const of: HealthRegistry["of"] = ({ channelId, version }, operation) => {
    const key = `${channelId} ${version} ${operation}`;
    const known = entries.get(key);
    if (known) {
      return known.health;
    }
    const health = createHealth();
    entries.set(key, { channelId, version, operation, health });
    return health;
  };
  const tell = sightings && createTeller(sightings.tell);
  sightings?.listen(async (heard) => {
    for (const sighting of heard) {
      await repeatHere(of(sighting, sighting.operation), sighting);
    }
  });
  return {
    of,
    note: (channel, seen) => {
      const health = of(channel, seen.operation);
      if (seen.fault) {
        health.noteFault(seen, seen.fault);
      } else {
        health.noteOk(seen, { hasRun: seen.isCounted });
      }
      tell?.(channel, seen, false);
    },
    noteStreamEnd: (channel, seen) => {
      of(channel, seen.operation).noteStreamEnd(seen, seen.fault);
      tell?.(channel, { ...seen, isCounted: false }, true);
    },
    view: () => [...entries.values()].map(({ health, ...subject }) => ({ ...subject, ...health.view() })),
  };
}
