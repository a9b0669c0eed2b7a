/** Everyone, beginning with another one each round: so a noisy minute, and a warm cache, hit all of them. */
export function turnsOf<T>(all: T[], round: number): T[] {
  const first = round % Math.max(1, all.length);
  return [...all.slice(first), ...all.slice(0, first)];
}
