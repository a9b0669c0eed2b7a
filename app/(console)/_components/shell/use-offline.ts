import { useQueryClient } from "@tanstack/react-query";
import { useOffline as usePagesOffline } from "next/offline";
import { useEffect, useSyncExternalStore } from "react";
import { connection, probe } from "../data/reach";

/** The delay before an unanswered call is repeated. */
export const ASK_AGAIN_MS = 10_000;

/**
 * Whether neither pages nor calls reach the server. Next holds a page that the user opened while offline and shows it
 * when the connection returns; then the page's queries are repeated.
 */
export function useOffline(): boolean {
  const client = useQueryClient();
  const isWithoutPages = usePagesOffline();
  const isCutOff = useSyncExternalStore(connection.subscribe, connection.isCutOff, () => false);
  const isOffline = isWithoutPages || isCutOff;
  useEffect(() => {
    const look = () => void probe();
    // The browser's event may come before the page listens, or while a last call still gets through.
    const lookAgain = () => (isOffline || !navigator.onLine) && look();
    const timer = setInterval(lookAgain, ASK_AGAIN_MS);
    window.addEventListener("offline", look);
    window.addEventListener("online", look);
    return () => {
      clearInterval(timer);
      window.removeEventListener("offline", look);
      window.removeEventListener("online", look);
    };
  }, [isOffline]);
  useEffect(() => (isOffline ? () => void client.invalidateQueries() : undefined), [isOffline, client]);
  return isOffline;
}
