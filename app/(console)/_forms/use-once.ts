import { useState } from "react";

/** Random, 32 hexadecimal digits. `randomUUID` is not there without HTTPS. */
const draw = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0"));

/**
 * A name for what a form books, the same for as long as it is open: whoever sends it again because no answer came books
 * it once.
 */
export function useOnce(): string {
  const [once] = useState(() => draw().join(""));
  return once;
}
