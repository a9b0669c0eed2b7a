import type { Clock } from "@/server/base/clock";
import { lookUp, withinMs } from "@/server/base/deadline";
import { GatewayError } from "@/server/base/errors";
import type { Page, TimePageQuery } from "@/server/db";
import type { AccountId, TaskId } from "@/server/domain/ids";
import type { VideoContent } from "@/server/upstream";
import { forgetOldKeys } from "./admission";
import { cancelTask } from "./cancel";
import { claimTask } from "./claims";
import { pinnedUpstream, type VideoDeps } from "./deps";
import { eraseTask } from "./erase";
import { listTasks, type TaskFilter } from "./list";
import type { VideoOrder } from "./order";
import { createPoller, LEASE_MS } from "./poller";
import { findTask, type TaskView, toView } from "./rows";
import { submitTask } from "./submit";

export type Videos = {
  /**
   * Freezes the price and hands the task to an upstream. Throws unpricedVideo (404), invalidParameters (400),
   * quotaExhausted (402), noVideoChannel (503), upstreamsUnavailable (502), upstreamRejected (400), idempotencyMismatch
   * (409). Once the money is frozen, it continues even if the client hangs up.
   */
  submit: (order: VideoOrder, onFrozen?: (task: TaskView) => void) => Promise<TaskView>;
  /** The account's task, polled unless that was done within the debounce. null: there is no such task. */
  status: (taskId: TaskId, accountId: AccountId) => Promise<TaskView | null>;
  /** The file of a completed task, if its vendor gives it to its own key only. null: no such file. */
  content: (
    taskId: TaskId,
    request: { range: string | null; signal: AbortSignal },
  ) => Promise<VideoContent | null>;
  /** The task as stored, of any account. null: there is no such task. */
  find: (taskId: TaskId) => Promise<TaskView | null>;
  /** Stored tasks, newest first unless the page says otherwise. Throws Refusal on an invalid cursor. */
  list: (filter: TaskFilter, page: TimePageQuery) => Promise<Page<TaskView>>;
  /**
   * Cancels at the upstream if it can; the money is returned only if the upstream confirms that it stopped. An owner's
   * call names the account. Throws unknownTask, unavailable, and upstreamsUnavailable if the upstream does not answer.
   */
  cancel: (taskId: TaskId, accountId?: AccountId) => Promise<"cancelled" | "too_late" | "unsupported">;
  /**
   * Erases the client's data from an ended task; the charge stays. false: the account has no such task, or it has not
   * ended.
   */
  erase: (task: { taskId: TaskId; accountId: AccountId }) => Promise<boolean>;
  /**
   * One round of the worker: begins to poll due tasks, and those that a dead process left, without waiting for the
   * upstreams. Returns how many.
   */
  work: () => Promise<number>;
  /** Deletes Idempotency-Keys that are too old for repeats. */
  tidy: () => Promise<void>;
  /** Waits, within a time limit, for open requests to upstreams. */
  close: (options?: { patienceMs: number }) => Promise<void>;
};

/** A query waits no longer than this for the upstream; the poll continues without it. */
const INLINE_MS = 5_000;
/** A last resort: silences have a separate deadline, and a client may read as slowly as it likes. */
const CONTENT_TIMEOUT_MS = 3_600_000;
const CLOSE_PATIENCE_MS = 25_000;

/**
 * The time for tasks under way: while this machine's clock is wrong, what has passed since its last right moment. Else a
 * clock that is set during a poll would end the task, or let it wait for as long.
 */
function steadyClock({ clock, isClockRight }: Pick<VideoDeps, "clock" | "isClockRight">): Clock {
  let last = { at: clock().getTime(), by: performance.now() };
  return () => {
    const now = { at: clock().getTime(), by: performance.now() };
    if (isClockRight()) {
      last = now;
    }
    return new Date(last.at + now.by - last.by);
  };
}

export function createVideos(given: VideoDeps): Videos {
  const deps = { ...given, clock: steadyClock(given) };
  const { db } = deps;
  const underWay = new Set<Promise<unknown>>();
  const track = <T>(work: Promise<T>): Promise<T> => {
    underWay.add(work);
    const done = () => void underWay.delete(work);
    work.then(done, done);
    return work;
  };
  const claiming = () => {
    if (!deps.isClockRight()) {
      throw new GatewayError("unavailable", "", {
        cause: new Error("this machine's clock is not the database's: it claims no video task"),
      });
    }
    return { now: deps.clock(), debounceMs: deps.debounceMs, leaseMs: LEASE_MS };
  };
  const { lookAt, work, stop } = createPoller(deps, claiming, track);

  return {
    submit: async (order, onFrozen = () => {}) => {
      const submitted = track(submitTask(deps, order, (task) => onFrozen(toView(task))));
      return toView(await submitted);
    },
    status: async (taskId, accountId) => {
      const claimed = deps.isClockRight()
        ? await lookUp(claimTask(db, { taskId, accountId }, claiming()))
        : null;
      if (claimed) {
        // A late result or an error is in the row at the next query.
        await withinMs(track(lookAt(claimed)), INLINE_MS);
      }
      const task = await lookUp(findTask(db, taskId));
      return task && toView(task);
    },
    content: async (taskId, { range, signal }) => {
      const task = await lookUp(findTask(db, taskId));
      const pinned = task && pinnedUpstream(deps, task);
      if (task?.state !== "completed" || task.upstreamRef === null || !pinned?.adapter.content) {
        return null;
      }
      const ending = AbortSignal.any([signal, AbortSignal.timeout(CONTENT_TIMEOUT_MS)]);
      const target = { ...pinned.target, signal: ending };
      return await pinned.adapter.content(target, task.upstreamRef, range);
    },
    find: async (taskId) => {
      const task = await lookUp(findTask(db, taskId));
      return task && toView(task);
    },
    list: async (filter, page) => {
      const { rows, nextCursor } = await listTasks(db, filter, page);
      return { rows: rows.map(toView), nextCursor };
    },
    cancel: (taskId, accountId) => track(cancelTask(deps, { taskId, accountId }, claiming)),
    erase: (task) => lookUp(eraseTask(db, task)),
    work,
    tidy: () => forgetOldKeys(db, deps.clock()),
    close: async ({ patienceMs } = { patienceMs: CLOSE_PATIENCE_MS }) => {
      stop();
      await withinMs(Promise.allSettled(underWay), patienceMs);
    },
  };
}
