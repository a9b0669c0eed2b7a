import type { inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "@/server/console";

type ConsoleOutputs = inferRouterOutputs<AppRouter>;

/** The side of the screen: an owner sees an account's tasks, an operator all tasks and their channels. */
export type VideosSide = "owner" | "operator";

/** A task on screen. Only operators get `account`, `channel` and `lateResult`. */
export type VideoTaskRow = ConsoleOutputs["videos"]["list"]["rows"][number];

/** The time until a running task fails with `timeout`. */
export const timeLeftMs = (task: Pick<VideoTaskRow, "deadlineAt">, now: number): number =>
  Math.max(0, new Date(task.deadlineAt).getTime() - now);

/** A task's duration, so far or in total. */
export const elapsedMs = (task: Pick<VideoTaskRow, "createdAt" | "endedAt">, now: number): number =>
  (task.endedAt === null ? now : new Date(task.endedAt).getTime()) - new Date(task.createdAt).getTime();

/** `65000` -> `1:05`. */
export function clockText(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
