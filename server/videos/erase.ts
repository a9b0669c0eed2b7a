import { and, eq, inArray } from "drizzle-orm";
import type { AccountId, TaskId } from "@/server/base/ids";
import { type Db, type Tx, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";

const { videoIdempotency, videoTasks } = tables;

/** No task is ordered with an empty prompt: one that has none has been forgotten. */
export const isErased = ({ prompt }: { prompt: string }): boolean => prompt === "";

const hasEnded = inArray(videoTasks.state, ["completed", "failed", "cancelled"]);
const nothing = { prompt: "", videoUrl: null, credential: null };

/**
 * Forgets what the client gave and what it got of a task that has ended: its prompt, the file's address, the credential
 * that opens the file. What stays is what was charged for, and the vendor's reference, so that no other order whose
 * answer is lost becomes this one. false: there is no such task, or it has not ended. Twice changes nothing more.
 */
export async function eraseTask(
  db: Db,
  { taskId, accountId }: { taskId: TaskId; accountId: AccountId },
): Promise<boolean> {
  const erased = await ormOf(db)
    .update(videoTasks)
    .set(nothing)
    .where(and(eq(videoTasks.id, taskId), eq(videoTasks.accountId, accountId), hasEnded))
    .returning({ id: videoTasks.id });
  return erased.length > 0;
}

/** As `eraseTask`, of all that an account has ordered, with the vendors' words on why some failed. */
export async function eraseTasks(tx: Tx, accountId: AccountId): Promise<void> {
  await ormOf(tx)
    .update(videoTasks)
    .set({ ...nothing, errorMessage: null, lateResult: null })
    .where(and(eq(videoTasks.accountId, accountId), hasEnded));
  await ormOf(tx).delete(videoIdempotency).where(eq(videoIdempotency.accountId, accountId));
}
