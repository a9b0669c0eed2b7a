/** The reader's API key in the examples. It stays in this tab's memory, and is gone when the tab is. */
import { useSyncExternalStore } from "react";

let key = "";
const listeners = new Set<() => void>();

export function setReaderKey(text: string): void {
  key = text.trim();
  for (const listener of listeners) {
    listener();
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The key as typed; empty: none. */
export const useReaderKey = (): string =>
  useSyncExternalStore(
    subscribe,
    () => key,
    () => "",
  );
