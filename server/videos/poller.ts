import { lookUp } from "@/server/base/deadline";
import type { ChannelId } from "@/server/base/ids";
import { persist } from "@/server/base/patience";
import { isTransient } from "@/server/db";
import { type Claiming, claimDue, returnClaim } from "./claims";
import type { VideoDeps } from "./deps";
import { moveTask } from "./move";
import { pollTask } from "./poll";
import { recoverTask } from "./recover";
import type { TaskRow } from "./rows";

/** What a look may take: more than an upstream is waited for, and the database after it. */
const LOOK_MS = 40_000;
/** Longer than a look, so that no two ask at once. */
export const LEASE_MS = 45_000;
/** An upstream is asked about so many tasks at a time by one process, and so many more while they are claimed. */
const LOOKS_PER_CHANNEL = 16;
/** Claims of one round of the worker, which comes every second. */
const PASSES = 20;

export type Poller = {
  /** Looks at one claimed task. Never throws: what went wrong is logged, and the task's lease brings it back. */
  lookAt: (task: TaskRow) => Promise<void>;
  /** Begins to look at what is due, as much of it as a channel is asked at a time. How many tasks. */
  work: () => Promise<number>;
  /** From now on nothing is taken up that no round of the worker asked for. */
  stop: () => void;
};

/**
 * What becomes of a look that threw. The database was away: the task is given back as soon as it answers. Every look
 * at this task may throw, for whatever its upstream says that we cannot keep: its lease keeps it apart, and at its
 * deadline it ends all the same, and its money is free again.
 */
async function cleanUp(deps: VideoDeps, task: TaskRow, error: unknown): Promise<void> {
  const now = deps.clock();
  if (isTransient(error)) {
    await persist(() => returnClaim(deps.db, task, { now, debounceMs: deps.debounceMs }), LEASE_MS);
  } else if (now >= task.deadlineAt) {
    await moveTask(deps, { taskId: task.id, event: { kind: "timedOut" }, now });
  }
}

/** The looks of one process. `track` holds what is under way. */
export function createPoller(
  deps: VideoDeps,
  claiming: () => Claiming,
  track: <T>(work: Promise<T>) => Promise<T>,
): Poller {
  /** Looks under way by channel: one that does not answer must not hold up the others. */
  const looks = new Map<ChannelId | null, number>();
  /** The last round left work behind because channels were full: it is taken up as their looks end. */
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
      // One poisoned row is nobody else's; its lease brings it back.
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

  /** Takes up what is due, as much of it as a channel is asked at a time. */
  async function work(): Promise<number> {
    let taken = 0;
    hasLeftovers = false;
    for (let pass = 0; pass < PASSES; pass++) {
      const full = [...looks].filter(([, count]) => count >= LOOKS_PER_CHANNEL);
      const busy = full.flatMap(([channel]) => channel ?? []);
      const due = await claimDue(deps.db, { limit: LOOKS_PER_CHANNEL, busy }, claiming());
      for (const task of due) {
        void track(lookAt(task));
      }
      taken += due.length;
      hasLeftovers ||= due.length === LOOKS_PER_CHANNEL || full.length > 0;
      if (due.length < LOOKS_PER_CHANNEL) {
        break;
      }
    }
    return taken;
  }

  return {
    lookAt,
    work,
    stop: () => {
      isStopped = true;
    },
  };
}
