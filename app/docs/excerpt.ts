/** A part of an excerpt. `isFound`: it is a word of the query. */
export type Piece = { text: string; isFound: boolean };

const BEFORE = 60;
const LENGTH = 220;

const escaped = (term: string) => term.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** The text around the first of the terms, with all of them marked. Terms are in lower case. */
export function excerptOf(text: string, terms: readonly string[]): Piece[] {
  const line = text.replace(/\s+/g, " ");
  const longestFirst = terms.toSorted((a, b) => b.length - a.length);
  const pattern = new RegExp(`(${longestFirst.map(escaped).join("|")})`, "gi");
  const at = terms.length === 0 ? 0 : Math.max(0, line.search(pattern));
  const from = at <= BEFORE ? 0 : line.indexOf(" ", at - BEFORE) + 1 || at - BEFORE;
  const part = line.slice(from, from + LENGTH);
  const cut = `${from > 0 ? "… " : ""}${part}${from + LENGTH < line.length ? " …" : ""}`;
  if (terms.length === 0) {
    return [{ text: cut, isFound: false }];
  }
  return cut
    .split(pattern)
    .map((piece, index) => ({ text: piece, isFound: index % 2 === 1 }))
    .filter((piece) => piece.text !== "");
}
