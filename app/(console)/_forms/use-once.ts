import { useState } from "react";

/** Random, 32 hexadecimal digits. `randomUUID` is not there without HTTPS. */
const draw = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0"));

/**
 * A name for what a form books, the same for as long as it is open: a form that is sent again because no answer came
 * is booked once.
 */
export function useOnce(): string {
  const [once] = useState(() => draw().join(""));
  return once;
}
