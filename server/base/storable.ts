/** NUL, and half a surrogate pair. */
const UNSTORABLE = /[\0\p{Cs}]/u;

/**
 * Whether PostgreSQL can keep every text in it. Without recursion: what a browser sends may be nested however deep.
 */
export function isStorable(input: unknown): boolean {
  const waiting = [input];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value === "string" && UNSTORABLE.test(value)) {
      return false;
    }
    for (const part of typeof value === "object" ? Object.values(value ?? {}) : []) {
      waiting.push(part);
    }
  }
  return true;
}
