import { GatewayError } from "@/server/base/errors";
import { holdDurably, quotaExhausted, type Shortfall } from "@/server/billing";
import type { VideoDeps } from "./deps";
import { after } from "./moments";
import type { VideoOrder } from "./order";
import { columns, findTask, type RawTask, type Sql, type TaskRow, toRow } from "./rows";

/** How long a submission has; past it, its process is taken for dead. */
const SUBMIT_LEASE_MS = 90_000;

type Admission = { taskId: string; order: VideoOrder; price: bigint };

/** The task that this account's key made before. Throws idempotencyMismatch when it was for something else. */
export async function findRepeated(sql: Sql, order: VideoOrder): Promise<TaskRow | null> {
  if (!order.idempotency) {
    return null;
  }
  const { key, bodyHash } = order.idempotency;
  const [known] = await sql<{ bodyHash: string; taskId: string }[]>`
    select body_hash as "bodyHash", task_id as "taskId" from video_idempotency
    where account_id = ${order.accountId} and key = ${key}`;
  if (!known) {
    return null;
  }
  if (known.bodyHash !== bodyHash) {
    throw new GatewayError("idempotencyMismatch");
  }
  return await findTask(sql, known.taskId);
}

/** Rolls a submission's transaction back. */
class TooPoor extends Error {
  constructor(readonly shortage: Shortfall) {
    super("the price cannot be frozen");
  }
}

/**
 * Freezes the price and stores the task, in one transaction: before it nothing has happened, after it the task is
 * followed to its end whatever dies. null: another submission with the same Idempotency-Key came first. Throws
 * quotaExhausted.
 */
export async function admitTask(deps: VideoDeps, admission: Admission): Promise<TaskRow | null> {
  const period = deps.billing.period();
  const { accountId, keyId, keyCap } = admission.order;
  for (let isLast = false; ; isLast = true) {
    try {
      return await store(deps, admission, period);
    } catch (error) {
      if (!(error instanceof TooPoor)) {
        throw error;
      }
      if (isLast) {
        throw quotaExhausted(error.shortage);
      }
      await deps.billing.openMonthsAndSweep({ accountId, period, keyId, keyCap });
    }
  }
}

async function store(
  deps: VideoDeps,
  { taskId, order, price }: Admission,
  period: string,
): Promise<TaskRow | null> {
  const now = deps.clock();
  const { accountId, keyId, keyCap } = order;
  return await deps.db.sql.begin(async (sql) => {
    // Before the month's row, in every submission: whoever waits here holds no money's lock.
    if (order.idempotency && !(await keepKey(sql, { taskId, order, now }))) {
      return null;
    }
    const purse = { accountId, period, keyId, keyCap };
    const shortage = await holdDurably(sql, { ...purse, requestId: taskId, amount: price });
    if (shortage) {
      throw new TooPoor(shortage);
    }
    const [raw] = await sql<RawTask[]>`
      insert into video_tasks (
        id, account_id, key_id, model_id, prompt, duration_seconds, resolution, aspect_ratio, state, price, period,
        created_at, deadline_at, lease_until, next_poll_at
      ) values (
        ${taskId}, ${accountId}, ${keyId}, ${order.modelId}, ${order.prompt}, ${order.durationSeconds},
        ${order.resolution}, ${order.aspectRatio}, 'submitting', ${price.toString()}, ${period},
        ${now}, ${after(now, deps.timeoutMs)}, ${after(now, SUBMIT_LEASE_MS)}, ${after(now, SUBMIT_LEASE_MS)}
      )
      returning ${columns(sql)}`;
    return raw ? toRow(raw) : null;
  });
}

async function keepKey(
  sql: Sql,
  { taskId, order, now }: { taskId: string; order: VideoOrder; now: Date },
): Promise<boolean> {
  const kept = await sql`
    insert into video_idempotency (account_id, key, body_hash, task_id, created_at)
    values (${order.accountId}, ${order.idempotency?.key ?? ""}, ${order.idempotency?.bodyHash ?? ""}, ${taskId}, ${now})
    on conflict do nothing returning 1`;
  return kept.length > 0;
}

/** A submission that came to nothing may be made again under the same key, from the moment at which it ends. */
export async function forgetKey(sql: Sql, task: TaskRow): Promise<void> {
  await sql`delete from video_idempotency where account_id = ${task.accountId} and task_id = ${task.id}`;
}

const KEYS_LAST_MS = 7 * 86_400_000;

/** Keys are for repeats of one submission, not for ever. */
export async function forgetOldKeys(sql: Sql, now: Date): Promise<void> {
  await sql`delete from video_idempotency where created_at < ${after(now, -KEYS_LAST_MS)}`;
}
