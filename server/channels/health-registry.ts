import { LRUCache } from "lru-cache";
import type { ChannelId } from "@/server/base/ids";
import type { Operation } from "@/server/upstream";
import { createHealth, type Health, type HealthView } from "./health";

/** A channel as it was between two changes of its row. */
type Subject = { channelId: ChannelId; version: string };

/** One operation of a channel, as this process has seen it since the channel was changed last. */
export type ChannelHealth = HealthView & { channelId: ChannelId; operation: Operation };

/** More than there are channels and operations: what falls out belongs to channels that were changed or removed. */
const MAX_ENTRIES = 5_000;

export type HealthRegistry = {
  /** Each operation its own: an upstream that cannot count tokens, or embed, may well converse. */
  of: (channel: Subject, operation: Operation) => Health;
  view: () => (ChannelHealth & Subject)[];
};

/** A changed channel starts anew: what its old address and credentials did says nothing about the new ones. */
export function createHealthRegistry(): HealthRegistry {
  const entries = new LRUCache<string, Subject & { operation: Operation; health: Health }>({
    max: MAX_ENTRIES,
  });
  return {
    of: ({ channelId, version }, operation) => {
      const key = `${channelId} ${version} ${operation}`;
      const known = entries.get(key);
      if (known) {
        return known.health;
      }
      const health = createHealth();
      entries.set(key, { channelId, version, operation, health });
      return health;
    },
    view: () => [...entries.values()].map(({ health, ...subject }) => ({ ...subject, ...health.view() })),
  };
}
