/** The map with this entry as its newest. Drops the oldest entries above `max`. */
export function withEntry<K, V>(
  map: ReadonlyMap<K, V>,
  [key, value]: readonly [K, V],
  max: number,
): ReadonlyMap<K, V> {
  const copy = new Map(map);
  copy.delete(key);
  copy.set(key, value);
  for (const oldest of copy.keys()) {
    if (copy.size <= max) {
      break;
    }
    copy.delete(oldest);
  }
  return copy;
}

/** The map without this entry. Returns the same map if there is none. */
export function withoutEntry<K, V>(map: ReadonlyMap<K, V>, key: K): ReadonlyMap<K, V> {
  if (!map.has(key)) {
    return map;
  }
  const copy = new Map(map);
  copy.delete(key);
  return copy;
}
