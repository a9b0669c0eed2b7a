import { useQueryClient } from "@tanstack/react-query";
import { useOffline as usePagesOffline } from "next/offline";
import { useEffect, useSyncExternalStore } from "react";
import { lookForServer } from "../data/look-for-server";
import { connection } from "../data/reach";

/**
 * Whether neither pages nor calls reach the server. Next holds a page that the user opened while offline and shows it
 * when the connection returns; then the page's queries are repeated.
 */
export function useOffline(): boolean {
  const client = useQueryClient();
  const isWithoutPages = usePagesOffline();
  const isCutOff = useSyncExternalStore(connection.subscribe, connection.isCutOff, () => false);
  const isOffline = isWithoutPages || isCutOff;
  useEffect(() => lookForServer(isOffline), [isOffline]);
  useEffect(() => (isOffline ? () => void client.invalidateQueries() : undefined), [isOffline, client]);
  return isOffline;
}
