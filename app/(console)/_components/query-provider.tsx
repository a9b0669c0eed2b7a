"use client";

import { QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createTRPCClient, httpBatchLink, TRPCClientError } from "@trpc/client";
import { type ReactNode, useState } from "react";
import type { AppRouter } from "@/server/console";
import { TRPCProvider } from "./trpc";

/** The status of an answer; null when there was none. */
function statusOf(error: Error): number | null {
  const answered = error instanceof TRPCClientError ? (error as TRPCClientError<AppRouter>) : null;
  return answered?.data?.httpStatus ?? null;
}

function createClients() {
  const queryClient = new QueryClient({
    queryCache: new QueryCache({
      onError: (error) => {
        if (statusOf(error) === 401) {
          window.location.assign("/sign-in");
        }
      },
    }),
    // A refusal stays one however often it is asked for.
    defaultOptions: {
      queries: { retry: (failures, error) => failures < 2 && (statusOf(error) ?? 500) >= 500 },
    },
  });
  const trpcClient = createTRPCClient<AppRouter>({ links: [httpBatchLink({ url: "/api/trpc" })] });
  return { queryClient, trpcClient };
}

export function QueryProvider({ children }: { children: ReactNode }) {
  const [{ queryClient, trpcClient }] = useState(createClients);
  return (
    <QueryClientProvider client={queryClient}>
      <TRPCProvider trpcClient={trpcClient} queryClient={queryClient}>
        {children}
      </TRPCProvider>
    </QueryClientProvider>
  );
}
