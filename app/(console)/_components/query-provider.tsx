"use client";

import { notifications } from "@mantine/notifications";
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createTRPCClient, httpBatchLink } from "@trpc/client";
import { type ReactNode, useRef, useState } from "react";
import type { AppRouter } from "@/server/console";
import { isSessionOver, statusOf } from "./failure";
import { onDemand } from "./on-demand";
import { oneWay } from "./one-way";
import { reach } from "./reach";
import { servedBuild } from "./served-build";
import { TRPCProvider } from "./trpc";
import { useFailure } from "./use-failure";
import { ASK_AGAIN_MS } from "./use-offline";

// Few readers ever see it.
const SignInAgain = onDemand(() => import("./sign-in-again").then((module) => module.SignInAgain));

/** Longer than the server takes for anything that it does: whatever lasts longer is lost. */
const DEADLINE_MS = 60_000;

type Happened = { sessionOver: () => void; changeFailed: (error: Error) => void };

const reachInTime: typeof reach = async (address, init) => {
  const deadline = AbortSignal.timeout(DEADLINE_MS);
  const answer = await reach(address, {
    ...init,
    signal: init?.signal ? AbortSignal.any([init.signal, deadline]) : deadline,
  });
  servedBuild.note(answer);
  return answer;
};

function createClients(happened: Happened) {
  const noteEnd = (error: Error) => {
    if (isSessionOver(error)) {
      happened.sessionOver();
    }
  };
  const queryClient: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError: noteEnd }),
    mutationCache: new MutationCache({
      onError: (...[error, , , mutation]) => {
        noteEnd(error);
        // A form that shows its refusal itself says so.
        if (mutation.meta?.showsFailure !== true && !isSessionOver(error)) {
          happened.changeFailed(error);
        }
      },
      /**
       * What a change touches is not for each button to know: everything on the page is asked for again, and a change
       * is under way until the page shows what the server says. One that failed is told at once.
       */
      onSettled: (_data, error) => {
        const refreshed = queryClient.invalidateQueries();
        return error ? undefined : refreshed;
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        refetchOnReconnect: "always",
        // Waiting for a network in silence would look like an answer that is on its way.
        networkMode: "always",
        // A refusal stays one however often it is asked for.
        // What nobody answered comes by itself once somebody does. Further rows are asked for where they are missed.
        refetchInterval: ({ state }) =>
          state.error !== null &&
          statusOf(state.error) === null &&
          !state.fetchMeta?.fetchMore &&
          ASK_AGAIN_MS,
        retry: (failures, error) => failures < 2 && (statusOf(error) ?? 500) >= 500,
      },
      // Kept for later, a change would be made when nobody expects it any more.
      mutations: { networkMode: "always" },
    },
  });
  const trpcClient = createTRPCClient<AppRouter>({
    links: [
      oneWay,
      httpBatchLink({ url: "/api/trpc", maxURLLength: 4_000, maxItems: 20, fetch: reachInTime }),
    ],
  });
  return { queryClient, trpcClient };
}

/**
 * The console's calls. A session that is over is begun again in place, over whatever was being filled in; a change
 * that failed comes to a notice. `email`: whose page this is.
 */
export function QueryProvider({ email, children }: { email: string; children: ReactNode }) {
  const failure = useFailure();
  const latest = useRef(failure);
  latest.current = failure;
  const [isOver, setOver] = useState(false);
  const [{ queryClient, trpcClient }] = useState(() =>
    createClients({
      sessionOver: () => setOver(true),
      changeFailed: (error) => {
        const { title, text } = latest.current(error);
        notifications.show({ color: "red", title, message: text, autoClose: 10_000, role: "alert" });
      },
    }),
  );
  const goOn = () => {
    setOver(false);
    void queryClient.invalidateQueries();
  };
  return (
    <QueryClientProvider client={queryClient}>
      <TRPCProvider trpcClient={trpcClient} queryClient={queryClient}>
        {children}
        {isOver && <SignInAgain email={email} onSignedIn={goOn} />}
      </TRPCProvider>
    </QueryClientProvider>
  );
}
