// V8 keeps a module's source in memory, with two bytes for each character if one of them is not in Latin-1. A single "…" in
// a comment doubled two megabytes in each process.
import { readFileSync, writeFileSync } from "node:fs";

const escapeOf = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

/**
 * A program's text with escapes for the characters that are not in Latin-1. They mean the same in strings and patterns,
 * and so does such a character behind a backslash.
 */
export const inLatin = (text) =>
  text.replace(/\\[\s\S]|[\u0100-\uffff]/g, (found) =>
    found.at(-1) > "\xff" ? escapeOf(found.at(-1)) : found,
  );

/** Rewrites these programs so. */
export function keepInLatin(paths) {
  for (const path of paths) {
    const text = readFileSync(path, "utf8");
    const latin = inLatin(text);
    if (latin !== text) {
      writeFileSync(path, latin);
    }
  }
}
