import { and, eq, lt } from "drizzle-orm";
import { GatewayError } from "@/server/base/errors";
import type { Nanos } from "@/server/base/money";
import { type Buyer, holdDurably, type Payer, payDurably } from "@/server/billing";
import { type Db, type Tx, tables, transaction } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { TaskId } from "@/server/domain/ids";
import type { VideoDeps } from "./deps";
import type { VideoOrder } from "./order";
import { columns, findTask, type TaskRow } from "./rows";
import { after } from "./task";

const { videoIdempotency, videoTasks } = tables;

/** The time for a submission; after it, its process is considered dead. */
const SUBMIT_LEASE_MS = 90_000;

type Admission = { taskId: TaskId; order: VideoOrder; price: Nanos };

/**
 * The task that this Idempotency-Key of the account created before. Throws idempotencyMismatch if its body was another.
 */
export async function findRepeated(db: Db, order: VideoOrder): Promise<TaskRow | null> {
  if (!order.idempotency) {
    return null;
  }
  const { key, bodyHash } = order.idempotency;
  const [row] = await ormOf(db)
    .select({ bodyHash: videoIdempotency.bodyHash, taskId: videoIdempotency.taskId })
    .from(videoIdempotency)
    .where(and(eq(videoIdempotency.accountId, order.accountId), eq(videoIdempotency.key, key)));
  if (!row) {
    return null;
  }
  if (row.bodyHash !== bodyHash) {
    throw new GatewayError("idempotencyMismatch");
  }
  return await findTask(db, row.taskId);
}

const buyerOf = ({ accountId, keyId, keyCap, windows }: VideoOrder): Buyer => ({
  accountId,
  keyId,
  keyCap,
  windows,
});

/**
 * Freezes the price and stores the task, in one transaction: before it nothing has happened, after it the task is
 * followed to its end, even if processes die. null: another submission with the same Idempotency-Key came first. Throws
 * quotaExhausted.
 */
export const admitTask = async (deps: VideoDeps, admission: Admission): Promise<TaskRow | null> =>
  await payDurably(deps.billing, buyerOf(admission.order), (payer) => store(deps, admission, payer));

async function store(
  deps: VideoDeps,
  { taskId, order, price }: Admission,
  payer: Payer,
): Promise<TaskRow | null> {
  const now = deps.clock();
  const { accountId, keyId, period } = payer;
  return await transaction(deps.db, async (tx) => {
    // Every submission takes this lock before the month's row, so that none waits here while it locks money.
    if (order.idempotency && !(await keepKey(tx, { taskId, order, now }))) {
      return null;
    }
    await holdDurably(tx, { ...payer, requestId: taskId, amount: price });
    const [task] = await ormOf(tx)
      .insert(videoTasks)
      .values({
        id: taskId,
        accountId,
        keyId,
        modelId: order.modelId,
        prompt: order.prompt,
        durationSeconds: order.durationSeconds,
        resolution: order.resolution,
        aspectRatio: order.aspectRatio,
        state: "submitting",
        price,
        period,
        createdAt: now,
        deadlineAt: after(now, deps.timeoutMs),
        leaseUntil: after(now, SUBMIT_LEASE_MS),
        nextPollAt: after(now, SUBMIT_LEASE_MS),
      })
      .returning(columns);
    return task ?? null;
  });
}

async function keepKey(
  tx: Tx,
  { taskId, order, now }: { taskId: TaskId; order: VideoOrder; now: Date },
): Promise<boolean> {
  const kept = await ormOf(tx)
    .insert(videoIdempotency)
    .values({
      accountId: order.accountId,
      key: order.idempotency?.key ?? "",
      bodyHash: order.idempotency?.bodyHash ?? "",
      taskId,
      createdAt: now,
    })
    .onConflictDoNothing()
    .returning({ taskId: videoIdempotency.taskId });
  return kept.length > 0;
}

/** A failed submission may be repeated under the same key from the moment at which it ends. */
export async function forgetKey(tx: Tx, task: TaskRow): Promise<void> {
  const { accountId, taskId } = videoIdempotency;
  await ormOf(tx)
    .delete(videoIdempotency)
    .where(and(eq(accountId, task.accountId), eq(taskId, task.id)));
}

const KEYS_LAST_MS = 7 * 86_400_000;

/** Keys are for repeats of one submission, so they expire. */
export async function forgetOldKeys(db: Db, now: Date): Promise<void> {
  await ormOf(db)
    .delete(videoIdempotency)
    .where(lt(videoIdempotency.createdAt, after(now, -KEYS_LAST_MS)));
}
