import { isTransient } from "@/server/db";
import type { VideoDeps } from "./deps";
import { moveTask } from "./move";
import type { TaskRow } from "./rows";

/**
 * The backstop for a task whose every look throws, for whatever its upstream says that we cannot keep: at its deadline
 * it ends all the same, and its money is free again. Not while the database is away.
 */
export async function endPoisoned(deps: VideoDeps, task: TaskRow, error: unknown): Promise<void> {
  const now = deps.clock();
  if (isTransient(error) || now < task.deadlineAt) {
    return;
  }
  await moveTask(deps, { taskId: task.id, event: { kind: "timedOut" }, now }).catch((again: unknown) =>
    deps.log.error({ err: again, taskId: task.id }, "a video task cannot be ended"),
  );
}
