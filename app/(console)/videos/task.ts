import type { inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "@/server/console";

type Outputs = inferRouterOutputs<AppRouter>;

/** Whose screen it is: an owner sees an account's tasks, an operator everybody's, and what is behind them. */
export type Side = "owner" | "operator";

/** A task on screen. `account`, `channel` and `lateResult` are there for operators. */
export type Task = Outputs["videos"]["list"]["rows"][number];

/** What a running task has left until it fails with `timeout`, at a moment. */
export const timeLeftMs = (task: Pick<Task, "deadlineAt">, now: number): number =>
  Math.max(0, new Date(task.deadlineAt).getTime() - now);

/** How long a task has taken, or took. */
export const elapsedMs = (task: Pick<Task, "createdAt" | "endedAt">, now: number): number =>
  (task.endedAt === null ? now : new Date(task.endedAt).getTime()) - new Date(task.createdAt).getTime();

/** `65000` -> `1:05`. */
export function clockText(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
