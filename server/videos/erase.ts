import { and, eq, inArray } from "drizzle-orm";
import { type Db, type Tx, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { AccountId, TaskId } from "@/server/domain/ids";

const { videoIdempotency, videoTasks } = tables;

/** No task is ordered with an empty prompt: a task without one has been erased. */
export const isErased = ({ prompt }: { prompt: string }): boolean => prompt === "";

const hasEnded = inArray(videoTasks.state, ["completed", "failed", "cancelled"]);
const nothing = { prompt: "", videoUrl: null, credential: null };

/**
 * Erases the client's data from an ended task: its prompt, the file's address, and the credential that opens the file.
 * The charge stays, and so does the vendor's reference, so that another order whose answer is lost is not mistaken for
 * this one. false: there is no such task, or it has not ended. Running it twice changes nothing more.
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

/** As `eraseTask`, for all tasks of an account, including the vendors' error messages. */
export async function eraseTasks(tx: Tx, accountId: AccountId): Promise<void> {
  await ormOf(tx)
    .update(videoTasks)
    .set({ ...nothing, errorMessage: null, lateResult: null })
    .where(and(eq(videoTasks.accountId, accountId), hasEnded));
  await ormOf(tx).delete(videoIdempotency).where(eq(videoIdempotency.accountId, accountId));
}
