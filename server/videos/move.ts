import { type Charge, endDurableHold } from "@/server/billing";
import type { Database } from "@/server/db";
import { forgetKey } from "./admission";
import type { VideoDeps } from "./deps";
import { columns, type RawTask, type TaskRow, toRow } from "./rows";
import { isOpen, type TaskEvent, type Transition, transition } from "./task";

/** What an event brings along: the upstream's reference, or where the file is. */
export type Findings = {
  upstreamRef?: string;
  /** When a search found it, which was a look: the next one keeps its distance from here. */
  lookedAt?: Date;
  nextPollAt?: Date;
  videoUrl?: string | null;
};

type Move = { taskId: string; event: TaskEvent; now: Date };

/** The quote is the price: nothing is looked up again at the end. */
const chargeOf = (task: TaskRow): Charge => ({
  amount: task.price,
  usage: null,
  source: null,
  prices: { video: task.price },
  keyId: task.keyId,
  modelId: task.modelId,
  channelId: task.channelId ?? "",
});

/**
 * The one way in which a task changes its state: the row, the ledger's entry and the balance in one transaction,
 * whoever comes first. null: the event came too late and changed nothing, but a late success is written down as the
 * operator's loss.
 */
export async function moveTask(
  deps: VideoDeps,
  move: Move,
  findings: Findings = {},
): Promise<TaskRow | null> {
  const moved = await commitMove(deps.db, move, findings);
  if (moved && !isOpen(moved.state)) {
    const { id, channelId, state, errorCode } = moved;
    deps.metrics.videoEnds.inc({ outcome: errorCode ?? state });
    deps.log.info({ taskId: id, channelId, state, errorCode }, "video task ended");
  }
  return moved;
}

async function commitMove(
  db: Database,
  { taskId, event, now }: Move,
  findings: Findings,
): Promise<TaskRow | null> {
  return await db.sql.begin(async (sql) => {
    const [raw] = await sql<RawTask[]>`
      select ${columns(sql)} from video_tasks where id = ${taskId} for update`;
    if (!raw) {
      return null;
    }
    const task = toRow(raw);
    const next = transition(task.state, event);
    if (!next) {
      const isLate = event.kind === "completed" || event.kind === "accepted";
      if (isLate && task.state !== "completed" && !isOpen(task.state)) {
        await sql`update video_tasks set late_result = ${event.kind} where id = ${taskId}`;
      }
      return null;
    }
    if (next.money !== "kept") {
      const charge = next.money === "captured" ? chargeOf(task) : null;
      const hold = { requestId: task.id, accountId: task.accountId, period: task.period };
      const isEnded = await endDurableHold(sql, hold, { charge, note: noteOf(next) });
      if (!isEnded) {
        throw new Error(`the money of video task ${task.id} is not where the task says`);
      }
    }
    if (task.state === "submitting" && !isOpen(next.state)) {
      await forgetKey(sql, task);
    }
    return await store(sql, task, { next, now, findings });
  });
}

const noteOf = ({ state, error }: Transition): string => (error ? `${state}: ${error.code}` : state);

async function store(
  sql: Parameters<Parameters<Database["sql"]["begin"]>[1]>[0],
  task: TaskRow,
  { next, now, findings }: { next: Transition; now: Date; findings: Findings },
): Promise<TaskRow | null> {
  const isEnd = !isOpen(next.state);
  const isDone = next.state === "completed";
  const [raw] = await sql<RawTask[]>`
    update video_tasks set
      state = ${next.state}, progress = ${isDone ? 100 : task.progress},
      error_code = ${next.error?.code ?? null}, error_message = ${next.error?.message ?? null},
      video_url = ${findings.videoUrl ?? null},
      upstream_ref = ${findings.upstreamRef ?? task.upstreamRef}, last_poll_at = ${findings.lookedAt ?? task.lastPollAt},
      completed_at = ${isDone ? now : null}, ended_at = ${isEnd ? now : null},
      lease_until = null, next_poll_at = ${isEnd ? null : (findings.nextPollAt ?? now)}
    where id = ${task.id}
    returning ${columns(sql)}`;
  return raw ? toRow(raw) : null;
}
