import { stopwatch } from "./clock";
import { lookUp } from "./deadline";
import { GatewayError } from "./errors";
import type { Eventual } from "./eventual";
import { createRecent } from "./recent";
import { isTransient } from "./transient";

export type Cache<V, Key extends string = string> = {
  /** A promise only while the value is being loaded. */
  get: (key: Key) => Eventual<V>;
  /** The values have changed. */
  forget: () => void;
  /** They may have changed unnoticed: they are loaded again, but stay the last known ones. */
  doubt: () => void;
};

/** A process that serves the last known values while the database does not, for no longer than `longestMs`. */
export type LastKnown = {
  mayServe: () => boolean;
  longestMs: number;
};

/**
 * `loadedAt`: when its load began, by the process's stopwatch. `doubts`: how often the values had been doubted by then.
 */
type CacheEntry<V> = { value: Eventual<V>; loadedAt: number; doubts: number; isRefreshing: boolean };

/** Whether a load failed because the database does not answer. */
const isUnanswered = (error: unknown): boolean =>
  isTransient(error) || (error instanceof GatewayError && error.kind === "unavailable");

/**
 * Caches the results of `load`. A value older than `maxAgeMs` is loaded again while it is still served; one older than
 * `maxServedMs` (default: twice that) is no longer served. It is served longer if it is known to be unchanged: at
 * `heardAt`, all earlier changes had been reported, and a change would have cleared the cache. While the database is away,
 * or does not answer the load, a value is served for `longestMs` more. Concurrent readers of one key share one load. A failed load is not kept, and a
 * silent one ends with 503. A load under way when `forget` is called is not kept either: its entry is removed with the
 * rest.
 */
export function createCache<V, Key extends string = string>(
  load: (key: Key) => Promise<V>,
  limits: {
    maxAgeMs: number;
    maxServedMs?: number;
    maxEntries: number;
    heardAt?: (() => number) | undefined;
    lastKnown?: LastKnown | null | undefined;
  },
): Cache<V, Key> {
  const { maxAgeMs, maxServedMs = 2 * maxAgeMs, heardAt = () => 0, lastKnown = null } = limits;
  const entries = createRecent<Key, CacheEntry<V>>(limits.maxEntries);
  let doubts = 0;
  const entryOf = (value: Eventual<V>): CacheEntry<V> => ({
    ...{ value, loadedAt: stopwatch(), doubts, isRefreshing: false },
  });

  const isProven = (entry: CacheEntry<V>) => entry.doubts === doubts;
  const ageMs = (entry: CacheEntry<V>, now: number) =>
    now - (isProven(entry) ? Math.max(entry.loadedAt, heardAt()) : entry.loadedAt);
  const isLastKnown = (entry: CacheEntry<V>, now: number) =>
    lastKnown !== null && ageMs(entry, now) < maxServedMs + lastKnown.longestMs;
  const isServed = (entry: CacheEntry<V>, now: number) =>
    (isProven(entry) && ageMs(entry, now) < maxServedMs) ||
    (lastKnown?.mayServe() === true && isLastKnown(entry, now));

  async function refresh(key: Key, kept: CacheEntry<V>): Promise<void> {
    kept.isRefreshing = true;
    const loading = lookUp(load(key));
    const next = entryOf(loading);
    try {
      next.value = await loading;
      if (entries.peek(key) === kept) {
        entries.set(key, next);
      }
    } catch {
      // The next reader tries again, and gets the error once the old value expires.
      kept.isRefreshing = false;
    }
  }

  /** The last known value in place of the one that failed to load. Throws the error of the load. */
  function fallBack(
    key: Key,
    { entry, kept, error }: { entry: CacheEntry<V>; kept: CacheEntry<V> | undefined; error: unknown },
  ): V {
    const isForgotten = entries.peek(key) !== entry;
    if (isForgotten) {
      throw error;
    }
    if (kept === undefined || kept.value instanceof Promise) {
      entries.delete(key);
      throw error;
    }
    entries.set(key, kept);
    if (isUnanswered(error) && isLastKnown(kept, stopwatch())) {
      return kept.value;
    }
    throw error;
  }

  function look(key: Key, kept: CacheEntry<V> | undefined): Promise<V> {
    const loading = lookUp(load(key)).then(
      (value) => {
        entry.value = value;
        return value;
      },
      (error: unknown) => fallBack(key, { entry, kept, error }),
    );
    const entry = entryOf(loading);
    entries.set(key, entry);
    return loading;
  }

  return {
    get: (key) => {
      const kept = entries.get(key);
      const now = stopwatch();
      if (!kept || !isServed(kept, now)) {
        return look(key, kept);
      }
      if (!kept.isRefreshing && now - kept.loadedAt >= maxAgeMs) {
        void refresh(key, kept);
      }
      return kept.value;
    },
    forget: () => entries.clear(),
    doubt: () => {
      doubts += 1;
    },
  };
}
