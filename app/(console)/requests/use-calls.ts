"use client";

import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useTRPC } from "../_components/trpc";
import type { Side } from "./call";
import type { toQuery } from "./call-filter";

/** Only while the page is looked at. */
const LIVE_MS = 5_000;

const pageOptions = {
  getNextPageParam: (page: { nextCursor: string | null }) => page.nextCursor ?? undefined,
  placeholderData: keepPreviousData,
};

type Wanted = { filter: ReturnType<typeof toQuery>; isLive: boolean };

export function useCalls(side: Side, { filter, isLive }: Wanted) {
  const trpc = useTRPC();
  const { accountId: _, ...own } = filter;
  const isOwner = side === "owner";
  const refetchInterval = isLive ? LIVE_MS : false;
  const owners = useInfiniteQuery({
    ...trpc.calls.list.infiniteQueryOptions(own, pageOptions),
    enabled: isOwner,
    refetchInterval,
  });
  const everybodys = useInfiniteQuery({
    ...trpc.allCalls.list.infiniteQueryOptions(filter, pageOptions),
    enabled: !isOwner,
    refetchInterval,
  });
  return isOwner ? owners : everybodys;
}

/** One request, which may be in no page that is loaded. */
export function useCall(side: Side, requestId: string) {
  const trpc = useTRPC();
  const isOwner = side === "owner";
  const own = useQuery({ ...trpc.calls.get.queryOptions({ requestId }), enabled: isOwner });
  const anybodys = useQuery({ ...trpc.allCalls.get.queryOptions({ requestId }), enabled: !isOwner });
  return isOwner ? own : anybodys;
}
