import { dehydrate, type FetchQueryOptions, HydrationBoundary, QueryClient } from "@tanstack/react-query";
import { createTRPCClient } from "@trpc/client";
import { createTRPCOptionsProxy, type TRPCOptionsProxy } from "@trpc/tanstack-react-query";
import { headers } from "next/headers";
import type { ReactNode } from "react";
import { withinMs } from "@/server/base/deadline";
import { type AppRouter, localLink } from "@/server/console";
import { oneWay } from "./one-way";

/** What a page waits for its data: what takes longer, the browser asks for, and the page says so meanwhile. */
const PATIENCE_MS = 2_000;

/** The console's procedures as queries: the same on the server, and in the browser by `useTRPC`. */
export type Trpc = TRPCOptionsProxy<AppRouter>;

type Wanted = Pick<FetchQueryOptions, "queryKey">;

type Props = {
  /** What the page shows first, named as its screen names it. */
  ask: (trpc: Trpc, client: QueryClient) => Wanted[] | Promise<Wanted[]>;
  children: ReactNode;
};

const isInfinite = (wanted: Wanted) => "initialPageParam" in wanted;

/**
 * Asks for what the screen inside will ask for, as whoever looks at the page, so that its first paint has it. What
 * fails is left out: the browser asks again, and says what is wrong.
 */
export async function Prefetch({ ask, children }: Props) {
  const queryClient = new QueryClient();
  const client = createTRPCClient<AppRouter>({ links: [oneWay, await localLink(await headers())] });
  const trpc: Trpc = createTRPCOptionsProxy<AppRouter>({ client, queryClient });
  const fetchAll = async () => {
    const wanted = await ask(trpc, queryClient);
    await Promise.all(
      wanted.map((each) =>
        isInfinite(each)
          ? queryClient.prefetchInfiniteQuery(each as Parameters<QueryClient["prefetchInfiniteQuery"]>[0])
          : queryClient.prefetchQuery(each),
      ),
    );
  };
  await withinMs(fetchAll(), PATIENCE_MS);
  return <HydrationBoundary state={dehydrate(queryClient)}>{children}</HydrationBoundary>;
}
