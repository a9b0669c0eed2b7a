/** Contrast of at least 3:1 against both schemes' backgrounds; a line also separates neighbouring sections. */
const colors = ["brand.6", "orange.8", "green.8", "grape.6", "indigo.5", "pink.6"] as const;
const OTHERS = "gray.6";

const hashOf = (name: string): number =>
  [...name].reduce((hash, letter) => (hash * 31 + (letter.codePointAt(0) ?? 0)) % 1_000_003, 7);

/**
 * A colour of the theme for each part of a chart. A name has the same colour in every chart, whatever its rank there; of
 * two names that want the same colour, the first in the alphabet gets it. More parts than colours share them.
 */
export function seriesColors(parts: readonly { label: string; isOthers: boolean }[]): string[] {
  const names = [...new Set(parts.filter(({ isOthers }) => !isOthers).map(({ label }) => label))].sort();
  const taken = new Map<number, string>();
  const chosen = new Map<string, string>();
  for (const name of names) {
    const wanted = hashOf(name);
    const free = colors.findIndex((_color, step) => !taken.has((wanted + step) % colors.length));
    const place = (wanted + Math.max(free, 0)) % colors.length;
    taken.set(place, name);
    chosen.set(name, colors[place] ?? OTHERS);
  }
  return parts.map(({ label, isOthers }) => (isOthers ? OTHERS : (chosen.get(label) ?? OTHERS)));
}
