import type { KnownKey } from "../caller";
import { type KeyRow, SEPARATOR, toKnownKey } from "./find-key";

/** Finds keys among rows that were read before. undefined: none of them has this hash. */
export function createKeptKeys(rows: readonly KeyRow[]): (names: string) => KnownKey | null | undefined {
  const found = new Map<string, { row: KeyRow; isOld: boolean }>();
  for (const row of rows) {
    if (row.oldHash !== null) {
      found.set(row.oldHash, { row, isOld: true });
    }
  }
  for (const row of rows) {
    found.set(row.hash, { row, isOld: false });
  }
  return (names) => {
    const known = names.split(SEPARATOR).flatMap((name) => found.get(name) ?? [])[0];
    return known && toKnownKey(known.row, known.isOld);
  };
}
