import { lookUp, withinMs } from "@/server/base/deadline";
import type { AccountId, TaskId } from "@/server/base/ids";
import type { Page, TimePageQuery } from "@/server/db";
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
   * quotaExhausted (402), noVideoChannel (503), upstreamsUnavailable (502), upstreamRejected (400),
   * idempotencyMismatch (409). Once it has frozen it goes on although the client hangs up.
   */
  submit: (order: VideoOrder, onFrozen?: (task: TaskView) => void) => Promise<TaskView>;
  /**
   * The task, freshly asked for when it is this account's and nobody has asked within the debounce. null: there is
   * none.
   */
  status: (taskId: TaskId, accountId: AccountId) => Promise<TaskView | null>;
  /** The file of a completed task that its vendor shows to its own key only. null: there is none. */
  content: (
    taskId: TaskId,
    asked: { range: string | null; signal: AbortSignal },
  ) => Promise<VideoContent | null>;
  /** The task as it is on record, of whatever account. null: there is none. */
  find: (taskId: TaskId) => Promise<TaskView | null>;
  /** Newest first unless the page says otherwise, as they are on record. Throws Refusal on a cursor that is none. */
  list: (filter: TaskFilter, page: TimePageQuery) => Promise<Page<TaskView>>;
  /**
   * At the upstream where that can, and the money is returned only when it says that it stopped. An owner's call names
   * the account. Throws unknownTask, unavailable, and upstreamsUnavailable when the upstream does not say.
   */
  cancel: (taskId: TaskId, accountId?: AccountId) => Promise<"cancelled" | "too_late" | "unsupported">;
  /**
   * Forgets what the client gave and got of a task that has ended; what was charged stays. false: there is no such
   * task of the account's, or it has not ended.
   */
  erase: (task: { taskId: TaskId; accountId: AccountId }) => Promise<boolean>;
  /**
   * One round of the worker: begins to look at what is due, and at what a dead process left, and does not wait for the
   * upstreams. How many tasks.
   */
  work: () => Promise<number>;
  /** Forgets Idempotency-Keys that are too old to be repeats. */
  tidy: () => Promise<void>;
  /** Waits, but not for ever, for what is under way at upstreams. */
  close: (options?: { patienceMs: number }) => Promise<void>;
};

/** A query does not wait longer than this for the upstream; the look goes on without it. */
const INLINE_MS = 5_000;
/** A backstop: silences have their own deadline, and a client may read as slowly as it likes. */
const CONTENT_TIMEOUT_MS = 3_600_000;
const CLOSE_PATIENCE_MS = 25_000;

export function createVideos(deps: VideoDeps): Videos {
  const { db } = deps;
  const underWay = new Set<Promise<unknown>>();
  const track = <T>(work: Promise<T>): Promise<T> => {
    underWay.add(work);
    const done = () => void underWay.delete(work);
    work.then(done, done);
    return work;
  };
  const claiming = () => ({ now: deps.clock(), debounceMs: deps.debounceMs, leaseMs: LEASE_MS });
  const { lookAt, work, stop } = createPoller(deps, claiming, track);

  return {
    submit: async (order, onFrozen = () => {}) => {
      const submitted = track(submitTask(deps, order, (task) => onFrozen(toView(task))));
      return toView(await submitted);
    },
    status: async (taskId, accountId) => {
      const claimed = await lookUp(claimTask(db, { taskId, accountId }, claiming()));
      if (claimed) {
        // What comes late, or goes wrong, is in the row the next time.
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
