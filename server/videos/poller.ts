import { lookUp } from "@/server/base/deadline";
import { retryWhileTransient } from "@/server/base/retry";
import { isTransient } from "@/server/db";
import type { ChannelId } from "@/server/domain/ids";
import { type Claiming, claimDue, returnClaim } from "./claims";
import type { VideoDeps } from "./deps";
import { moveTask } from "./move";
import { pollTask } from "./poll";
import { recoverTask } from "./recover";
import type { TaskRow } from "./rows";

/** The time for a poll: longer than the upstream's time-out, plus time for the database. */
const LOOK_MS = 40_000;
/** Longer than a poll, so that no two processes ask at once. */
export const LEASE_MS = 45_000;
/** The concurrent polls of one process at a channel's upstream; a claim may add as many again. */
const LOOKS_PER_CHANNEL = 16;
/** Claims in one round of the worker, which runs every second. */
const PASSES = 20;

export type Poller = {
  /** Polls one claimed task. Never throws: errors are logged, and the lease makes the task due again. */
  lookAt: (task: TaskRow) => Promise<void>;
  /** Begins to poll due tasks, up to the limit of each channel. Returns how many. */
  work: () => Promise<number>;
  /** After this, only rounds of the worker claim tasks. */
  stop: () => void;
};

/**
 * Cleans up after a poll that threw. If the database was away, the task is given back as soon as it answers. If every
 * poll of this task throws, for example because we cannot store the upstream's answer, its lease sets it aside; at its
 * deadline it ends all the same, and its money is returned.
 */
async function cleanUp(deps: VideoDeps, task: TaskRow, error: unknown): Promise<void> {
  const now = deps.clock();
  if (isTransient(error)) {
    await retryWhileTransient(
      () => returnClaim(deps.db, task, { now, debounceMs: deps.debounceMs }),
      LEASE_MS,
    );
  } else if (now >= task.deadlineAt) {
    await moveTask(deps, { taskId: task.id, event: { kind: "timedOut" }, now });
  }
}

/** The polls of one process. `track` keeps track of those under way. */
export function createPoller(
  deps: VideoDeps,
  claiming: () => Claiming,
  track: <T>(work: Promise<T>) => Promise<T>,
): Poller {
  /** Open polls by channel: a channel that does not answer must not delay the others. */
  const looks = new Map<ChannelId | null, number>();
  /** The last round left due tasks because channels were full: they are claimed as those polls end. */
  let hasLeftovers = false;
  let isStopped = false;

  async function lookAt(task: TaskRow): Promise<void> {
    const channel = task.channelId;
    looks.set(channel, (looks.get(channel) ?? 0) + 1);
    try {
      await lookUp<unknown>(
        task.state === "submitting" ? recoverTask(deps, task) : pollTask(deps, task),
        LOOK_MS,
      );
    } catch (error) {
      // One bad row does not affect others; its lease makes it due again.
      deps.log.error({ err: error, taskId: task.id }, "video task");
      await cleanUp(deps, task, error).catch((again: unknown) =>
        deps.log.error({ err: again, taskId: task.id }, "a video task cannot be given back or ended"),
      );
    } finally {
      const rest = (looks.get(channel) ?? 1) - 1;
      looks.set(channel, rest);
      if (hasLeftovers && !isStopped && rest <= LOOKS_PER_CHANNEL / 2) {
        hasLeftovers = false;
        track(work()).catch((error: unknown) => deps.log.warn({ err: error }, "videos failed"));
      }
    }
  }

  /** Claims due tasks, up to the limit of each channel. */
  async function work(): Promise<number> {
    let claimedCount = 0;
    hasLeftovers = false;
    for (let pass = 0; pass < PASSES; pass++) {
      const full = [...looks].filter(([, count]) => count >= LOOKS_PER_CHANNEL);
      const busy = full.flatMap(([channel]) => channel ?? []);
      const due = await claimDue(deps.db, { limit: LOOKS_PER_CHANNEL, busy }, claiming());
      for (const task of due) {
        void track(lookAt(task));
      }
      claimedCount += due.length;
      hasLeftovers ||= due.length === LOOKS_PER_CHANNEL || full.length > 0;
      if (due.length < LOOKS_PER_CHANNEL) {
        break;
      }
    }
    return claimedCount;
  }

  return {
    lookAt,
    work,
    stop: () => {
      isStopped = true;
    },
  };
}
