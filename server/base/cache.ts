import { LRUCache } from "lru-cache";
import { stopwatch } from "./clock";
import { lookUp } from "./deadline";
import type { Eventual } from "./eventual";

export type Cache<V, Key extends string = string> = {
  /** A promise only while the value is being loaded. */
  get: (key: Key) => Eventual<V>;
  forget: () => void;
};

/** `loadedAt`: when its load began, by the process's stopwatch. */
type CacheEntry<V> = { value: Eventual<V>; loadedAt: number; isRefreshing: boolean };

/**
 * Caches the results of `load`. A value older than `maxAgeMs` is loaded again while it is still served; one older than
 * `maxServedMs` (default: twice that) is no longer served. It is served longer if it is known to be unchanged: at
 * `heardAt`, all earlier changes had been reported, and a change would have cleared the cache. Concurrent readers of
 * one key share one load. A failed load is not kept, and a silent one ends with 503. A load under way when `forget` is
 * called is not kept either: its entry is removed with the rest.
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
  const entries = new LRUCache<Key, CacheEntry<V>>({ max: limits.maxEntries });
  const look = (key: Key) => {
    const loading = lookUp(load(key));
    const entry: CacheEntry<V> = { value: loading, loadedAt: stopwatch(), isRefreshing: false };
    const loaded = loading.then((value) => {
      entry.value = value;
      return value;
    });
    return { entry, loaded };
  };

  async function refresh(key: Key, kept: CacheEntry<V>): Promise<void> {
    kept.isRefreshing = true;
    const { entry: next, loaded } = look(key);
    try {
      await loaded;
      if (entries.peek(key) === kept) {
        entries.set(key, next);
      }
    } catch {
      // The next reader tries again, and gets the error once the old value expires.
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
      const { entry, loaded } = look(key);
      entries.set(key, entry);
      loaded.catch(() => {
        if (entries.peek(key) === entry) {
          entries.delete(key);
        }
      });
      return loaded;
    },
    forget: () => entries.clear(),
  };
}
