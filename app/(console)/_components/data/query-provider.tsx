"use client";

import { notifications } from "@mantine/notifications";
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createTRPCClient, httpBatchLink, httpLink, splitLink } from "@trpc/client";
import { type ReactNode, useRef, useState } from "react";
import type { AppRouter } from "@/server/console";
import { oneWay } from "../shell/one-way";
import { servedBuild } from "../shell/served-build";
import { isSessionOver, statusOf } from "./failure";
import { ASK_AGAIN_MS } from "./look-for-server";
import { onDemand } from "./on-demand";
import { reach } from "./reach";
import { TRPCProvider } from "./trpc";
import { useFailure } from "./use-failure";

// Loaded on demand: few users ever see it.
const SignInAgain = onDemand(() => import("../shell/sign-in-again").then((module) => module.SignInAgain));

/** Longer than the server takes for any call: an answer that takes longer is lost. */
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
        // A form that shows its own errors sets `showsFailure`.
        if (mutation.meta?.showsFailure !== true && !isSessionOver(error)) {
          happened.changeFailed(error);
        }
      },
      /**
       * A button does not know which data its change affects: every query on the page is repeated, and the change is
       * pending until the page shows the server's state. A failed change is reported at once.
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
        // Without this, a query waits silently for a network and looks as if its answer were on the way.
        networkMode: "always",
        // A refusal is not repeated: it would stay the same. A call without an answer is repeated until the server
        // answers. Further rows are loaded again by their own button.
        refetchInterval: ({ state }) =>
          state.error !== null &&
          statusOf(state.error) === null &&
          !state.fetchMeta?.fetchMore &&
          ASK_AGAIN_MS,
        retry: (failures, error) => failures < 2 && (statusOf(error) ?? 500) >= 500,
      },
      // A postponed change would be made when the user no longer expects it.
      mutations: { networkMode: "always" },
    },
  });
  const trpcClient = createTRPCClient<AppRouter>({
    links: [
      oneWay,
      splitLink({
        condition: ({ context }) => context.isAlone === true,
        true: httpLink({ url: "/api/trpc", fetch: reachInTime }),
        false: httpBatchLink({ url: "/api/trpc", maxURLLength: 4_000, maxItems: 20, fetch: reachInTime }),
      }),
    ],
  });
  return { queryClient, trpcClient };
}

/**
 * Provides the console's calls. When the session ends, the user signs in again in a dialog over the page and keeps
 * unsaved input; a failed change shows a notice. `email`: the signed-in user.
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
