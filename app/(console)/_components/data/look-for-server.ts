import { probe } from "./reach";

/** The delay before an unanswered call is repeated. */
export const ASK_AGAIN_MS = 10_000;

/**
 * Looks for the server when the browser says that its network has gone or is back, and every ten seconds while the
 * server is away or the browser says that there is no network: its event may come before the page listens, or while a
 * last call still gets through. Returns a function that ends it.
 */
export function lookForServer(isOffline: boolean): () => void {
  const look = () => void probe();
  const timer = setInterval(() => (isOffline || !navigator.onLine) && look(), ASK_AGAIN_MS);
  window.addEventListener("offline", look);
  window.addEventListener("online", look);
  return () => {
    clearInterval(timer);
    window.removeEventListener("offline", look);
    window.removeEventListener("online", look);
  };
}
