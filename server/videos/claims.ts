/**
 * Decides which process may ask the upstream about a task, and when. Each claim is one statement, so that of any number
 * of queries and replicas one wins; the debounce counts from the claim, and failed polls count, too (spec section 3).
 */

import { and, eq, isNull, lt, lte, notInArray, or, sql } from "drizzle-orm";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { isNextOf } from "@/server/db/lease";
import type { AccountId, ChannelId, TaskId } from "@/server/domain/ids";
import { columns, isOpenRow, type TaskRow } from "./rows";
import { after } from "./task";

const { videoTasks } = tables;

export type Claiming = {
  now: Date;
  debounceMs: number;
  /** Longer than a poll takes; after it the claim of a process that died is void. */
  leaseMs: number;
};

/** The columns of a claim: no other process asks within the debounce, nor while this one asks. */
const claimed = ({ now, debounceMs, leaseMs }: Claiming) => ({
  lastPollAt: now,
  nextPollAt: after(now, debounceMs),
  leaseUntil: after(now, leaseMs),
});

/** No process has asked within the debounce, and none is asking now. */
const isFree = ({ now, debounceMs }: Claiming) =>
  and(
    or(isNull(videoTasks.lastPollAt), lte(videoTasks.lastPollAt, after(now, -debounceMs))),
    or(isNull(videoTasks.leaseUntil), lt(videoTasks.leaseUntil, now)),
  );

/**
 * Claims the account's task, unless it was polled within the debounce. null: its row is fresh enough, or it has ended.
 */
export async function claimTask(
  db: Db,
  { taskId, accountId }: { taskId: TaskId; accountId: AccountId },
  claiming: Claiming,
): Promise<TaskRow | null> {
  const [task] = await ormOf(db)
    .update(videoTasks)
    .set(claimed(claiming))
    .where(
      and(
        eq(videoTasks.id, taskId),
        eq(videoTasks.accountId, accountId),
        eq(videoTasks.state, "processing"),
        // If a vendor asked to wait, every process waits.
        or(eq(videoTasks.pollErrors, 0), lte(videoTasks.nextPollAt, claiming.now)),
        isFree(claiming),
      ),
    )
    .returning(columns);
  return task ?? null;
}

/**
 * Claims tasks that are due, including those whose process died before an upstream was known to have them. None of the
 * channels in `busy`, which still have open polls.
 */
export async function claimDue(
  db: Db,
  { limit, busy }: { limit: number; busy: ChannelId[] },
  claiming: Claiming,
): Promise<TaskRow[]> {
  const due = isNextOf(db, videoTasks.id, {
    where: and(
      isOpenRow,
      lte(videoTasks.nextPollAt, claiming.now),
      isFree(claiming),
      or(isNull(videoTasks.channelId), notInArray(videoTasks.channelId, busy)),
    ),
    orderBy: [videoTasks.nextPollAt],
    limit,
  });
  return await ormOf(db).update(videoTasks).set(claimed(claiming)).where(due).returning(columns);
}

/**
 * Returns a claim that had no result by `now`: the next poll need not wait for the end of its lease, and keeps the
 * debounce from this one, which may have reached the upstream. Leaves the task alone if another process has claimed it
 * since.
 */
export async function returnClaim(
  db: Db,
  { id, lastPollAt }: TaskRow,
  { now, debounceMs }: Pick<Claiming, "now" | "debounceMs">,
): Promise<void> {
  if (lastPollAt !== null) {
    await ormOf(db)
      .update(videoTasks)
      .set({ leaseUntil: null, lastPollAt: now, nextPollAt: after(now, debounceMs) })
      .where(and(eq(videoTasks.id, id), eq(videoTasks.lastPollAt, lastPollAt), isOpenRow));
  }
}

/** The result of a poll of a task that is still open. */
export type PollProgress = {
  /** When the poll ended: the debounce of the next one counts from here. */
  lookedAt: Date;
  nextPollAt: Date;
  progress: number;
  pollErrors: number;
  timesLost: number;
  timesEmpty: number;
};

/** Returns a claimed task to the queue. Progress never falls; a task that ended meanwhile stays as it is. */
export async function returnTask(db: Db, taskId: TaskId, waiting: PollProgress): Promise<void> {
  await ormOf(db)
    .update(videoTasks)
    .set({
      leaseUntil: null,
      lastPollAt: waiting.lookedAt,
      nextPollAt: waiting.nextPollAt,
      progress: sql`greatest(${videoTasks.progress}, ${waiting.progress})`,
      pollErrors: waiting.pollErrors,
      timesLost: waiting.timesLost,
      timesEmpty: waiting.timesEmpty,
    })
    .where(and(eq(videoTasks.id, taskId), isOpenRow));
}
