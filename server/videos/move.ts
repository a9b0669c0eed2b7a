import { eq } from "drizzle-orm";
import { formatMoney, nanos } from "@/server/base/money";
import { type Charge, endDurableHold } from "@/server/billing";
import { listCostPrices } from "@/server/catalog";
import { type Db, type Tx, tables, transaction } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { TaskId } from "@/server/domain/ids";
import { announce } from "@/server/notifications";
import { videoPriceName } from "@/server/pricing";
import { forgetKey } from "./admission";
import type { VideoDeps } from "./deps";
import { columns, type TaskRow } from "./rows";
import { isOpen, type TaskEvent, type Transition, transition } from "./task";

const { videoTasks } = tables;

/** Data of an event: the upstream's reference, or the file's address. */
export type EventData = {
  upstreamRef?: string;
  /** When a search found the task. A search counts as a poll: the debounce of the next poll counts from here. */
  lookedAt?: Date;
  nextPollAt?: Date;
  videoUrl?: string | null;
};

type Move = { taskId: TaskId; event: TaskEvent; now: Date };

/** The charge is the quoted price; only the cost at the channel is looked up at the end. */
async function chargeOf(tx: Tx, task: TaskRow): Promise<Charge> {
  const { price, modelId, channelId } = task;
  const [costs] = channelId === null ? [] : await listCostPrices(tx, { channelId, modelId });
  return {
    amount: price,
    usage: null,
    source: null,
    prices: { video: price },
    modelId,
    channelId,
    cost: costs?.prices.get(videoPriceName(task)),
  };
}

/**
 * The only way to change a task's state: the row, the ledger's entry and the balance change in one transaction, and the
 * first event counts. null: the event came too late and changed nothing; a late success is recorded as the operator's
 * loss.
 */
export async function moveTask(
  deps: VideoDeps,
  move: Move,
  findings: EventData = {},
): Promise<TaskRow | null> {
  const moved = await commitMove(deps.db, move, findings);
  if (moved && !isOpen(moved.state)) {
    const { id, channelId, state, errorCode } = moved;
    deps.metrics.videoEnds.inc({ outcome: errorCode ?? state });
    if (state === "completed") {
      deps.metrics.videoCharged(moved.modelId, Number(formatMoney(moved.price)));
    }
    deps.log.info({ taskId: id, channelId, state, errorCode }, "video task ended");
  }
  return moved;
}

async function commitMove(
  db: Db,
  { taskId, event, now }: Move,
  findings: EventData,
): Promise<TaskRow | null> {
  return await transaction(db, async (tx) => {
    const [task] = await ormOf(tx)
      .select(columns)
      .from(videoTasks)
      .where(eq(videoTasks.id, taskId))
      .for("update");
    if (!task) {
      return null;
    }
    const next = transition(task.state, event);
    if (!next) {
      const isLate = event.kind === "completed" || event.kind === "accepted";
      if (isLate && task.state !== "completed" && !isOpen(task.state)) {
        await ormOf(tx).update(videoTasks).set({ lateResult: event.kind }).where(eq(videoTasks.id, taskId));
      }
      return null;
    }
    if (next.money !== "kept") {
      const charge = next.money === "captured" ? await chargeOf(tx, task) : null;
      const hold = { ...task, requestId: task.id };
      const isEnded = await endDurableHold(tx, hold, { charge, note: noteOf(next) });
      if (!isEnded) {
        throw new Error(`the money of video task ${task.id} is not where the task says`);
      }
    }
    if (task.state === "submitting" && !isOpen(next.state)) {
      await forgetKey(tx, task);
    }
    const stored = await store(tx, task, { next, now, findings });
    if (stored && (stored.state === "completed" || stored.state === "failed")) {
      await tell(tx, stored, now);
    }
    return stored;
  });
}

/** Announces the end in the transaction that makes it, so that it is announced once. */
async function tell(tx: Tx, task: TaskRow, at: Date): Promise<void> {
  const { accountId, state, price, errorCode } = task;
  const isDone = state === "completed";
  await announce(tx, {
    type: isDone ? "video.completed" : "video.failed",
    ...{ accountId, at },
    data: {
      ...{ task_id: task.id, key_id: task.keyId, model: task.modelId, status: state },
      charged: formatMoney(isDone ? price : nanos(0n)),
      error: errorCode,
    },
  });
}

const noteOf = ({ state, error }: Transition): string => (error ? `${state}: ${error.code}` : state);

async function store(
  tx: Tx,
  task: TaskRow,
  { next, now, findings }: { next: Transition; now: Date; findings: EventData },
): Promise<TaskRow | null> {
  const isEnd = !isOpen(next.state);
  const isDone = next.state === "completed";
  const [stored] = await ormOf(tx)
    .update(videoTasks)
    .set({
      state: next.state,
      progress: isDone ? 100 : task.progress,
      errorCode: next.error?.code ?? null,
      errorMessage: next.error?.message ?? null,
      videoUrl: findings.videoUrl ?? null,
      upstreamRef: findings.upstreamRef ?? task.upstreamRef,
      lastPollAt: findings.lookedAt ?? task.lastPollAt,
      completedAt: isDone ? now : null,
      endedAt: isEnd ? now : null,
      leaseUntil: null,
      nextPollAt: isEnd ? null : (findings.nextPollAt ?? now),
    })
    .where(eq(videoTasks.id, task.id))
    .returning(columns);
  return stored ?? null;
}
