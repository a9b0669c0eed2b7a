import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useQueryStates } from "nuqs";
import { useTRPC } from "../_components/data/trpc";
import { useInstallation } from "../_components/text/installation";
import type { RequestsSide } from "./call";
import { type CallParameters, callLists, callParsers, type toQuery } from "./call-filter";

/** Refreshes only while the page is visible. */
export const LIVE_MS = 5_000;

/** The filter in the address, without an endpoint that is unknown here. */
export function useCallParameters() {
  const [{ endpoint, ...parameters }, onChange] = useQueryStates(callParsers);
  const { endpointLabels } = useInstallation();
  const known = endpoint !== null && Object.hasOwn(endpointLabels, endpoint) ? endpoint : null;
  return [{ ...parameters, endpoint: known }, onChange] as const;
}

export type ChangeParameters = ReturnType<typeof useCallParameters>[1];

type CallsQuery = { filter: ReturnType<typeof toQuery>; sort: CallParameters["sort"]; isLive: boolean };

export function useCalls(side: RequestsSide, { filter, sort, isLive }: CallsQuery) {
  const lists = callLists(useTRPC(), filter, { sort });
  const isOwner = side === "owner";
  const refetchInterval = isLive ? LIVE_MS : false;
  const owners = useInfiniteQuery({ ...lists.owner, enabled: isOwner, refetchInterval });
  const everybodys = useInfiniteQuery({ ...lists.operator, enabled: !isOwner, refetchInterval });
  return isOwner ? owners : everybodys;
}

/** Fetches one request, which may not be among the loaded pages. */
export function useCall(side: RequestsSide, requestId: string) {
  const trpc = useTRPC();
  const isOwner = side === "owner";
  const own = useQuery({ ...trpc.calls.get.queryOptions({ requestId }), enabled: isOwner });
  const anybodys = useQuery({ ...trpc.allCalls.get.queryOptions({ requestId }), enabled: !isOwner });
  return isOwner ? own : anybodys;
}
