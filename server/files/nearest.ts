/** How many characters differ between two words, at most. */
const MOST_DIFFERENT = 2;

/** The number of single characters to add, remove or replace. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** The known words that a misspelt one may mean, the nearest first. */
export const nearestOf = (word: string, candidates: readonly string[]): string[] =>
  candidates
    .map((name) => ({ name, away: distance(word, name) }))
    .filter(({ away }) => away <= MOST_DIFFERENT)
    .sort((a, b) => a.away - b.away)
    .map(({ name }) => name);
