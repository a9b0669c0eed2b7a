import { useQueryClient } from "@tanstack/react-query";
import { useOffline as usePagesOffline } from "next/offline";
import { useEffect, useSyncExternalStore } from "react";
import { connection, probe } from "./reach";

/** How long before a call that nobody answered is made again by itself. */
export const ASK_AGAIN_MS = 10_000;

/**
 * Whether neither pages nor calls reach the server. Next holds back a page that was asked for meanwhile and opens it
 * once it can; whatever the page shows is asked for again then.
 */
export function useOffline(): boolean {
  const client = useQueryClient();
  const isWithoutPages = usePagesOffline();
  const isCutOff = useSyncExternalStore(connection.subscribe, connection.isCutOff, () => false);
  const isOffline = isWithoutPages || isCutOff;
  useEffect(() => {
    const look = () => void probe();
    window.addEventListener("offline", look);
    window.addEventListener("online", look);
    return () => {
      window.removeEventListener("offline", look);
      window.removeEventListener("online", look);
    };
  }, []);
  useEffect(() => {
    if (!isOffline) {
      return;
    }
    const timer = setInterval(() => void probe(), ASK_AGAIN_MS);
    return () => {
      clearInterval(timer);
      void client.invalidateQueries();
    };
  }, [isOffline, client]);
  return isOffline;
}
