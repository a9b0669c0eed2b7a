/**
 * Who may ask the upstream about a task, and when. One statement each, so that of any number of queries and replicas
 * one wins; it counts from the claim, and failed polls count too (spec section 3).
 */

import { after } from "./moments";
import { columns, type RawTask, type Sql, type TaskRow, toRow } from "./rows";

export type Claiming = {
  now: Date;
  debounceMs: number;
  /** Longer than a poll takes; past it the claim of a process that died is void. */
  leaseMs: number;
};

/**
 * The account's task, if nobody has asked within the debounce. null: what its row says is fresh enough, or it has
 * ended.
 */
export async function claimTask(
  sql: Sql,
  { taskId, accountId }: { taskId: string; accountId: string },
  claiming: Claiming,
): Promise<TaskRow | null> {
  const { now, debounceMs, leaseMs } = claiming;
  const [raw] = await sql<RawTask[]>`
    update video_tasks set
      last_poll_at = ${now}, next_poll_at = ${after(now, debounceMs)}, lease_until = ${after(now, leaseMs)}
    where id = ${taskId} and account_id = ${accountId} and state = 'processing'
      -- A vendor that asked for patience gets it from everyone.
      and (poll_errors = 0 or next_poll_at <= ${now})
      and (last_poll_at is null or last_poll_at <= ${after(now, -debounceMs)})
      and (lease_until is null or lease_until < ${now})
    returning ${columns(sql)}`;
  return raw ? toRow(raw) : null;
}

/**
 * Tasks whose time has come, those among them whose process died before an upstream was known to have them. None of
 * the channels in `busy`, whose answers are still waited for.
 */
export async function claimDue(
  sql: Sql,
  { limit, busy }: { limit: number; busy: string[] },
  claiming: Claiming,
): Promise<TaskRow[]> {
  const { now, debounceMs, leaseMs } = claiming;
  const rows = await sql<RawTask[]>`
    update video_tasks set
      last_poll_at = ${now}, next_poll_at = ${after(now, debounceMs)}, lease_until = ${after(now, leaseMs)}
    where id in (
      select id from video_tasks
      where state in ('submitting', 'processing') and next_poll_at <= ${now}
        and (last_poll_at is null or last_poll_at <= ${after(now, -debounceMs)})
        and (lease_until is null or lease_until < ${now})
        and (channel_id is null or channel_id <> all(${busy}))
      order by next_poll_at limit ${limit}
      for update skip locked
    )
    returning ${columns(sql)}`;
  return rows.map(toRow);
}

/** What a look at the upstream leaves behind when the task goes on. */
export type Waiting = {
  /** When the look ended: the next one keeps its distance from here. */
  lookedAt: Date;
  nextPollAt: Date;
  progress: number;
  pollErrors: number;
  timesLost: number;
  timesEmpty: number;
};

/** Puts a claimed task back. Progress never falls; a task that ended meanwhile stays as it is. */
export async function returnTask(sql: Sql, taskId: string, waiting: Waiting): Promise<void> {
  await sql`
    update video_tasks set
      lease_until = null, last_poll_at = ${waiting.lookedAt}, next_poll_at = ${waiting.nextPollAt},
      progress = greatest(progress, ${waiting.progress}), poll_errors = ${waiting.pollErrors},
      times_lost = ${waiting.timesLost}, times_empty = ${waiting.timesEmpty}
    where id = ${taskId} and state in ('submitting', 'processing')`;
}
