"use client";

import { keepPreviousData, useInfiniteQuery, useMutation, useQuery } from "@tanstack/react-query";
import { parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useTRPC } from "../_components/trpc";
import { type Side, type Task, taskStates } from "./task";

/** While something runs and the page is looked at. Rows are read again; no upstream is asked because of it. */
const REFRESH_MS = 3_000;

/** In the address, so that a filtered list or a task can be kept and sent. */
export const useTaskParameters = () =>
  useQueryStates({
    state: parseAsStringLiteral(taskStates),
    model: parseAsString,
    key: parseAsString,
    account: parseAsString,
    channel: parseAsString,
    view: parseAsStringLiteral(["table", "gallery"] as const).withDefault("table"),
    task: parseAsString.withOptions({ history: "push" }),
  });

export type TaskParameters = ReturnType<typeof useTaskParameters>[0];
export type ChangeParameters = ReturnType<typeof useTaskParameters>[1];

const refreshing = (tasks: Task[]) =>
  tasks.some((task) => task.state === "processing") ? REFRESH_MS : false;

type Page = { rows: Task[]; nextCursor: string | null };
const pageOptions = {
  getNextPageParam: (page: Page) => page.nextCursor ?? undefined,
  placeholderData: keepPreviousData,
};

/** The tasks that the address asks for. */
export function useTasks(side: Side, parameters: TaskParameters) {
  const trpc = useTRPC();
  const own = {
    state: parameters.state ?? undefined,
    modelId: parameters.model ?? undefined,
    keyId: parameters.key ?? undefined,
  };
  const all = {
    ...own,
    accountId: parameters.account ?? undefined,
    channelId: parameters.channel ?? undefined,
  };
  const isOwner = side === "owner";
  const owners = useInfiniteQuery({
    ...trpc.videos.list.infiniteQueryOptions(own, pageOptions),
    enabled: isOwner,
    refetchInterval: ({ state }) => refreshing(state.data?.pages.flatMap((page) => page.rows) ?? []),
  });
  const everybodys = useInfiniteQuery({
    ...trpc.allVideos.list.infiniteQueryOptions(all, pageOptions),
    enabled: !isOwner,
    refetchInterval: ({ state }) => refreshing(state.data?.pages.flatMap((page) => page.rows) ?? []),
  });
  return isOwner ? owners : everybodys;
}

/** One task, which may be in no page that is loaded. */
export function useTask(side: Side, taskId: string) {
  const trpc = useTRPC();
  const isOwner = side === "owner";
  const own = useQuery({
    ...trpc.videos.get.queryOptions({ taskId }),
    enabled: isOwner,
    refetchInterval: ({ state }) => (state.data ? refreshing([state.data]) : false),
  });
  const anybodys = useQuery({
    ...trpc.allVideos.get.queryOptions({ taskId }),
    enabled: !isOwner,
    refetchInterval: ({ state }) => (state.data ? refreshing([state.data]) : false),
  });
  return isOwner ? own : anybodys;
}

/** Asks the upstream to stop. What came of it is the answer; a failure is the caller's to show. */
export function useCancelTask(side: Side) {
  const trpc = useTRPC();
  const own = useMutation(trpc.videos.cancel.mutationOptions({ meta: { showsFailure: true } }));
  const anybodys = useMutation(trpc.allVideos.cancel.mutationOptions({ meta: { showsFailure: true } }));
  return side === "owner" ? own : anybodys;
}
