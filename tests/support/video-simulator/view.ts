import type { View } from "./dialect";
import type { VendorTask } from "./tasks";

/** A task as one poll shows it: its state, changed by the prompt's script. Counts the poll. */
export function viewTask(task: VendorTask, shown: { now: number; url: string }): View {
  const { script, startedAt, runMs } = task;
  const view: View = { state: task.state, failure: null, url: null, progress: 0, taskId: task.id };
  if (task.state === "running") {
    task.looks += 1;
    const isBack = script.fallsBackToPending && task.looks % 2 === 0;
    const done = Math.min(99, Math.floor((100 * (shown.now - (startedAt ?? shown.now))) / runMs));
    const state = script.isOddWhileRunning ? "odd" : task.state;
    return isBack ? { ...view, state: "pending" } : { ...view, state, progress: done };
  }
  if (task.state === "failed") {
    return { ...view, failure: script.failure };
  }
  if (task.state === "succeeded") {
    const hasUrl = script.timesWithoutUrl <= 0;
    script.timesWithoutUrl -= 1;
    return { ...view, progress: 100, url: hasUrl ? shown.url : null };
  }
  return view;
}
