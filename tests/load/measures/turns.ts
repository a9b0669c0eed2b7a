/** All elements, with another one first in each round, so that a noisy minute and a warm cache affect all of them. */
export function turnsOf<T>(all: T[], round: number): T[] {
  const first = round % Math.max(1, all.length);
  return [...all.slice(first), ...all.slice(0, first)];
}
