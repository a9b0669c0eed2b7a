"use client";

import { notifications } from "@mantine/notifications";
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createTRPCClient, httpBatchLink, type TRPCLink } from "@trpc/client";
import { type ReactNode, useRef, useState } from "react";
import type { AppRouter } from "@/server/console";
import { statusOf, useFailure } from "./failure";
import { TRPCProvider } from "./trpc";

type Failed = (error: Error) => void;

/** Infinite queries say in which direction they grow. Ours grow one way, and no procedure's strict input has that member. */
const oneWay: TRPCLink<AppRouter> = () => (call) => {
  const { direction: _, ...input } = (call.op.input ?? {}) as Record<string, unknown>;
  return call.next(call.op.input === undefined ? call.op : { ...call.op, input });
};

function createClients(onFailedChange: Failed) {
  const leaveIfOver = (error: Error) => {
    if (statusOf(error) === 401) {
      window.location.assign("/sign-in");
    }
  };
  const queryClient: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError: leaveIfOver }),
    mutationCache: new MutationCache({
      onError: (...[error, , , mutation]) => {
        leaveIfOver(error);
        // A form that shows its refusal itself says so.
        if (mutation.meta?.showsFailure !== true) {
          onFailedChange(error);
        }
      },
      // What a change touches is not for each button to know: everything on the page is asked for again.
      onSettled: () => queryClient.invalidateQueries(),
    }),
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        // A refusal stays one however often it is asked for.
        retry: (failures, error) => failures < 2 && (statusOf(error) ?? 500) >= 500,
      },
    },
  });
  const trpcClient = createTRPCClient<AppRouter>({
    links: [oneWay, httpBatchLink({ url: "/api/trpc", maxURLLength: 4_000, maxItems: 20 })],
  });
  return { queryClient, trpcClient };
}

/** The console's calls: a session that is over leads to the sign-in, a change that failed to a notice. */
export function QueryProvider({ children }: { children: ReactNode }) {
  const failure = useFailure();
  const latest = useRef(failure);
  latest.current = failure;
  const [{ queryClient, trpcClient }] = useState(() =>
    createClients((error) => {
      const { title, text } = latest.current(error);
      notifications.show({ color: "red", title, message: text, autoClose: 10_000, role: "alert" });
    }),
  );
  return (
    <QueryClientProvider client={queryClient}>
      <TRPCProvider trpcClient={trpcClient} queryClient={queryClient}>
        {children}
      </TRPCProvider>
    </QueryClientProvider>
  );
}
