import type { Polled } from "@/server/upstream";
import { returnTask } from "./claims";
import { pinnedUpstream, type VideoDeps } from "./deps";
import { moveTask } from "./move";
import { findTask, type TaskRow } from "./rows";
import { scrub } from "./scrub";
import { after } from "./task";
import { judge } from "./verdict";

/** Shorter than a claim's lease, so that no two processes ask at once. */
const POLL_TIMEOUT_MS = 20_000;
const CANCEL_TIMEOUT_MS = 10_000;

/** An error here says nothing about the task, even if a credential no longer opens: the deadline ends the task. */
async function ask(deps: VideoDeps, task: TaskRow): Promise<Polled> {
  try {
    const pinned = pinnedUpstream(deps, task);
    if (!pinned || task.upstreamRef === null) {
      return { kind: "lost" };
    }
    const target = { ...pinned.target, signal: AbortSignal.timeout(POLL_TIMEOUT_MS) };
    const polled = await pinned.adapter.poll(target, task.upstreamRef);
    return polled.kind === "failed" ? { ...polled, message: scrub(polled.message, [target.secret]) } : polled;
  } catch (error) {
    return { kind: "transient", message: String(error), retryAfterMs: null };
  }
}

/**
 * Tells the vendor that it may stop a task that has ended here; whether it does is not checked. `lastPoll`: the
 * result of the last poll, which stays the last: no vendor is polled about an ended task.
 */
async function abandon(deps: VideoDeps, task: TaskRow, lastPoll: Polled): Promise<void> {
  const pinned = pinnedUpstream(deps, task);
  if (pinned?.adapter.cancel && task.upstreamRef !== null) {
    const target = { ...pinned.target, signal: AbortSignal.timeout(CANCEL_TIMEOUT_MS) };
    await pinned.adapter.cancel(target, task.upstreamRef, lastPoll);
  }
}

/** Polls the upstream once about a claimed task, and records the result. Returns the task as it is then. */
export async function pollTask(deps: VideoDeps, task: TaskRow): Promise<TaskRow> {
  const polled = await ask(deps, task);
  const now = deps.clock();
  const { debounceMs } = deps;
  const verdict = judge(task, polled, { now, debounceMs, random: deps.random() });
  if (polled.kind === "transient") {
    deps.log.warn({ taskId: task.id, channelId: task.channelId }, "a video's upstream did not answer a poll");
  }
  if (verdict.event === null) {
    await returnTask(deps.db, task.id, {
      ...verdict,
      lookedAt: now,
      nextPollAt: after(now, verdict.waitMs),
    });
    return (await findTask(deps.db, task.id)) ?? task;
  }
  const { event, videoUrl } = verdict;
  const moved = await moveTask(deps, { taskId: task.id, event, now }, { videoUrl });
  if (moved && event.kind === "timedOut") {
    await abandon(deps, task, polled).catch((error: unknown) =>
      deps.log.warn(
        { err: error, taskId: task.id },
        "a timed-out video could not be cancelled at its upstream",
      ),
    );
  }
  return moved ?? (await findTask(deps.db, task.id)) ?? task;
}
