import { failures } from "@/server/domain/task-failures";
import type { Polled } from "@/server/upstream";
import type { TaskRow } from "./rows";
import type { TaskEvent } from "./task";

/** Consecutive answers after which a task counts as lost, or as completed without a file. */
const MAX_TIMES_LOST = 3;
const MAX_TIMES_EMPTY = 3;
/** A vendor may not know a task in its first moments. */
const MIN_LOST_AGE_MS = 60_000;
const MAX_BACK_OFF = 4;

/** The meaning of an upstream's answer for a task: its end, or when and with which counters to poll again. */
export type Verdict =
  | { event: TaskEvent; videoUrl: string | null }
  | {
      event: null;
      waitMs: number;
      progress: number;
      pollErrors: number;
      timesLost: number;
      timesEmpty: number;
    };

type PollContext = {
  now: Date;
  debounceMs: number;
  /** In [0, 1): spreads the polls of tasks that began together. */
  random: number;
};

const ended = (event: TaskEvent, videoUrl: string | null = null): Verdict => ({ event, videoUrl });

function endOf(task: TaskRow, polled: Polled, { now }: PollContext): Verdict | null {
  switch (polled.kind) {
    case "completed":
      if (polled.url !== null || polled.isServed) {
        return ended({ kind: "completed" }, polled.url);
      }
      return task.timesEmpty + 1 >= MAX_TIMES_EMPTY
        ? ended({ kind: "failed", code: "upstream_bad_result", message: failures.noFile.zh })
        : null;
    case "failed":
      return ended({ kind: "failed", code: polled.code, message: polled.message });
    case "cancelled":
      return ended({ kind: "cancelled" });
    case "lost":
      return task.timesLost + 1 >= MAX_TIMES_LOST &&
        now.getTime() - task.createdAt.getTime() > MIN_LOST_AGE_MS
        ? ended({ kind: "failed", code: "upstream_task_lost", message: failures.taskLost.zh })
        : null;
    default:
      return null;
  }
}

/** The highest progress of a task whose run has not begun. */
const QUEUED = 5;
const MAX_PERCENT = 95;
/** A usual run of the default models (vendor: one to five minutes). */
const EXPECTED_MS = 120_000;

/**
 * Progress for vendors that report none: towards 95 as time passes, fast at first. The caller prevents it from falling;
 * 100 is for completion only.
 */
function guessProgress(run: { elapsedMs: number; isQueued: boolean }): number {
  if (run.isQueued) {
    return Math.min(QUEUED, Math.floor(run.elapsedMs / 12_000));
  }
  return Math.floor(
    QUEUED + (MAX_PERCENT - QUEUED) * (1 - Math.exp(-Math.max(0, run.elapsedMs) / EXPECTED_MS)),
  );
}

/** Pure. The deadline is checked last: a video that is done by then is delivered. */
export function judge(task: TaskRow, polled: Polled, look: PollContext): Verdict {
  const end = endOf(task, polled, look);
  if (end) {
    return end;
  }
  const leftMs = task.deadlineAt.getTime() - look.now.getTime();
  if (leftMs <= 0) {
    return ended({ kind: "timedOut" });
  }
  const isSilent = polled.kind === "transient";
  const pollErrors = isSilent ? task.pollErrors + 1 : 0;
  const usualMs = look.debounceMs * (1 + look.random / 10);
  const backOffMs = usualMs * Math.min(2 ** Math.max(0, pollErrors - 1), MAX_BACK_OFF);
  const wishedMs = Math.max(backOffMs, isSilent ? (polled.retryAfterMs ?? 0) : 0);
  const isQueued = polled.kind === "processing" && polled.isQueued;
  const elapsedMs = look.now.getTime() - task.createdAt.getTime();
  const reportedProgress = polled.kind === "processing" ? polled.progress : null;
  return {
    event: null,
    // The last poll is at the deadline, but never within the debounce.
    waitMs: Math.max(look.debounceMs, Math.min(wishedMs, leftMs)),
    progress: Math.min(
      99,
      Math.max(task.progress, Math.floor(reportedProgress ?? guessProgress({ elapsedMs, isQueued }))),
    ),
    pollErrors,
    timesLost: polled.kind === "lost" ? task.timesLost + 1 : 0,
    timesEmpty: polled.kind === "completed" ? task.timesEmpty + 1 : 0,
  };
}
