import { LRUCache } from "lru-cache";
import { stopwatch } from "./clock";
import { lookUp } from "./deadline";

export type Cache<V, Key extends string = string> = { get: (key: Key) => Promise<V>; forget: () => void };

/** `loadedAt`: when its look-up began, by the process's stopwatch. */
type Entry<V> = { value: Promise<V>; loadedAt: number; isRefreshing: boolean };

/**
 * Keeps what `load` answered. What is older than `maxAgeMs` is looked up again while it is still served, and what is
 * older than `maxServedMs` (twice that, unless said) is served no more, unless it is known that it has not changed since:
 * by a moment at which all changes before it had been heard of (`heardAt`), for then it would be forgotten. Concurrent readers of one key share one load; a
 * failed load is not kept, and one that is silent is given up (503); a load under way when `forget` is called is not
 * kept either: its entry has left with the rest.
 */
export function createCache<V, Key extends string = string>(
  load: (key: Key) => Promise<V>,
  limits: {
    maxAgeMs: number;
    maxServedMs?: number;
    maxEntries: number;
    heardAt?: (() => number) | undefined;
  },
): Cache<V, Key> {
  const { maxAgeMs, maxServedMs = 2 * maxAgeMs, heardAt = () => 0 } = limits;
  const entries = new LRUCache<Key, Entry<V>>({ max: limits.maxEntries });
  const look = (key: Key): Entry<V> => ({
    value: lookUp(load(key)),
    loadedAt: stopwatch(),
    isRefreshing: false,
  });

  async function refresh(key: Key, kept: Entry<V>): Promise<void> {
    kept.isRefreshing = true;
    const next = look(key);
    try {
      await next.value;
      if (entries.peek(key) === kept) {
        entries.set(key, next);
      }
    } catch {
      // The next reader tries again, and hears of it once there is nothing left to serve.
      kept.isRefreshing = false;
    }
  }

  return {
    get: (key) => {
      const kept = entries.get(key);
      const now = stopwatch();
      if (kept && now - Math.max(kept.loadedAt, heardAt()) < maxServedMs) {
        if (!kept.isRefreshing && now - kept.loadedAt >= maxAgeMs) {
          void refresh(key, kept);
        }
        return kept.value;
      }
      const entry = look(key);
      entries.set(key, entry);
      entry.value.catch(() => {
        if (entries.peek(key) === entry) {
          entries.delete(key);
        }
      });
      return entry.value;
    },
    forget: () => entries.clear(),
  };
}
