import { LRUCache } from "lru-cache";

/**
 * The entries that were used most recently, `most` of them. Memory grows with the entries: LRUCache's own `max` takes 28
 * bytes for each possible one at once, 6 MB for 200,000.
 */
export const createRecent = <Key extends string, Value extends NonNullable<unknown>>(most: number) =>
  new LRUCache<Key, Value>({ maxSize: most, sizeCalculation: () => 1 });
