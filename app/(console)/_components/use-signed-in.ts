import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { isSessionOver } from "./failure";
import { useTRPC } from "./trpc";

/**
 * Asks the server whether the session still lasts, for what goes other ways than the console's calls. Where it has
 * ended, the sign-in opens over the page (query-provider.tsx). Any other failure is for the caller's own call to meet.
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
