import { dehydrate, type FetchQueryOptions, HydrationBoundary, QueryClient } from "@tanstack/react-query";
import { createTRPCClient } from "@trpc/client";
import { createTRPCOptionsProxy, type TRPCOptionsProxy } from "@trpc/tanstack-react-query";
import { headers } from "next/headers";
import type { ReactNode } from "react";
import { withinMs } from "@/server/base/deadline";
import { type AppRouter, localLink } from "@/server/console";
import { oneWay } from "../shell/one-way";

/** How long the server waits for a page's data. The browser asks for slower data, and the page says so meanwhile. */
const PATIENCE_MS = 2_000;

/** The console's procedures as queries: the same on the server, and in the browser by `useTRPC`. */
export type Trpc = TRPCOptionsProxy<AppRouter>;

type PrefetchQuery = Pick<FetchQueryOptions, "queryKey">;

type Props = {
  /** The queries that the page shows first, built as its screen builds them. */
  ask: (trpc: Trpc, client: QueryClient) => PrefetchQuery[] | Promise<PrefetchQuery[]>;
  children: ReactNode;
};

const isInfinite = (query: PrefetchQuery) => "initialPageParam" in query;

/**
 * Runs the screen's queries on the server as the viewer of the page, so that the first paint has their data. A failed
 * query is left out: the browser repeats it and shows the error.
 */
export async function Prefetch({ ask, children }: Props) {
  const queryClient = new QueryClient();
  const client = createTRPCClient<AppRouter>({ links: [oneWay, await localLink(await headers())] });
  const trpc: Trpc = createTRPCOptionsProxy<AppRouter>({ client, queryClient });
  const fetchAll = async () => {
    const queries = await ask(trpc, queryClient);
    await Promise.all(
      queries.map((each) =>
        isInfinite(each)
          ? queryClient.prefetchInfiniteQuery(each as Parameters<QueryClient["prefetchInfiniteQuery"]>[0])
          : queryClient.prefetchQuery(each),
      ),
    );
  };
  await withinMs(fetchAll(), PATIENCE_MS);
  return <HydrationBoundary state={dehydrate(queryClient)}>{children}</HydrationBoundary>;
}
