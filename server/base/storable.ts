/** NUL, and half a surrogate pair. */
const UNSTORABLE = /[\0\p{Cs}]/u;

/**
 * Whether PostgreSQL can store every text in the value. Not recursive, because a browser's input may be nested to any
 * depth.
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
