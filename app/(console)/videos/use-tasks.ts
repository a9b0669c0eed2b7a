import { useInfiniteQuery, useMutation, useQuery } from "@tanstack/react-query";
import { useQueryStates } from "nuqs";
import { useTRPC } from "../_components/data/trpc";
import type { VideosSide, VideoTaskRow } from "./task";
import { type TaskParameters, taskLists, taskParsers } from "./task-list";

/** Refreshes while a task runs and the page is visible. Only rows are read again; no upstream is called. */
const REFRESH_MS = 3_000;

export const useTaskParameters = () => useQueryStates(taskParsers);

export type ChangeParameters = ReturnType<typeof useTaskParameters>[1];

const refreshing = (tasks: VideoTaskRow[]) =>
  tasks.some((task) => task.state === "processing") ? REFRESH_MS : false;

type Paged = { state: { data?: { pages: { rows: VideoTaskRow[] }[] } | undefined } };
const refetchInterval = ({ state }: Paged) => refreshing(state.data?.pages.flatMap(({ rows }) => rows) ?? []);

/** The tasks that match the address. */
export function useTasks(side: VideosSide, parameters: TaskParameters) {
  const lists = taskLists(useTRPC(), parameters);
  const isOwner = side === "owner";
  const owners = useInfiniteQuery({ ...lists.owner, enabled: isOwner, refetchInterval });
  const everybodys = useInfiniteQuery({ ...lists.operator, enabled: !isOwner, refetchInterval });
  return isOwner ? owners : everybodys;
}

/** Fetches one task, which may not be among the loaded pages. */
export function useTask(side: VideosSide, taskId: string) {
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

/** Asks the upstream to cancel. The answer is the result; the caller shows a failure. */
export function useCancelTask(side: VideosSide) {
  const trpc = useTRPC();
  const own = useMutation(trpc.videos.cancel.mutationOptions({ meta: { showsFailure: true } }));
  const anybodys = useMutation(trpc.allVideos.cancel.mutationOptions({ meta: { showsFailure: true } }));
  return side === "owner" ? own : anybodys;
}
