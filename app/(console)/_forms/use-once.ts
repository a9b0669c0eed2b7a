import { useState } from "react";

/** Random, 32 hexadecimal digits. Without HTTPS there is no `randomUUID`. */
const draw = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0"));

/**
 * A key for a form's booking that stays the same while the form is open: a form that is sent again because the answer
 * was lost is booked once.
 */
export function useOnce(): string {
  const [once] = useState(() => draw().join(""));
  return once;
}
