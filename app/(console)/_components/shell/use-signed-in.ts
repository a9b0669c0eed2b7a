import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { isSessionOver } from "../data/failure";
import { useTRPC } from "../data/trpc";

/**
 * Asks the server whether the session still lasts, for requests that do not use the console's calls. If it has ended,
 * the sign-in opens over the page (query-provider.tsx). Any other failure is left to the caller's own request.
 */
export function useSignedIn(): () => Promise<boolean> {
  const client = useQueryClient();
  const trpc = useTRPC();
  return useCallback(
    () =>
      client.fetchQuery(trpc.security.get.queryOptions(undefined, { staleTime: 0 })).then(
        () => true,
        (error) => !isSessionOver(error),
      ),
    [client, trpc],
  );
}
