import { LRUCache } from "lru-cache";
import { lookUp } from "./deadline";

export type Cache<V, Key extends string = string> = { get: (key: Key) => Promise<V>; forget: () => void };

/**
 * Keeps what `load` answered for at most `maxAgeMs`. Concurrent readers of one key share one load; a failed load is
 * not kept, and one that is silent is given up (503); a load under way when `forget` is called is not kept either, for
 * its promise leaves with the rest.
 */
export function createCache<V, Key extends string = string>(
  load: (key: Key) => Promise<V>,
  limits: { maxAgeMs: number; maxEntries: number },
): Cache<V, Key> {
  const entries = new LRUCache<Key, Promise<V>>({ max: limits.maxEntries, ttl: limits.maxAgeMs });
  return {
    get: (key) => {
      const kept = entries.get(key);
      if (kept) {
        return kept;
      }
      const loading = lookUp(load(key));
      entries.set(key, loading);
      loading.catch(() => {
        if (entries.peek(key) === loading) {
          entries.delete(key);
        }
      });
      return loading;
    },
    forget: () => entries.clear(),
  };
}
