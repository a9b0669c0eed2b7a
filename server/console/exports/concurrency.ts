/**
 * Counts what each person has open. Answers how a place is given back, which twice does nothing; null when all of them
 * are taken.
 */
export function capConcurrency(atOnce: number): (who: string) => (() => void) | null {
  const taken = new Map<string, Set<symbol>>();
  return (who) => {
    const places = taken.get(who) ?? new Set();
    if (places.size >= atOnce) {
      return null;
    }
    const place = Symbol(who);
    taken.set(who, places.add(place));
    return () => {
      if (places.delete(place) && places.size === 0) {
        taken.delete(who);
      }
    };
  };
}
