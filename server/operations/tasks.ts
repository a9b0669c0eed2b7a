import { z } from "zod";
import { Refusal } from "@/server/domain/refusal";
import { operation } from "./operation";
import { AccountId, TaskId } from "./schema";

/**
 * The vendor is called outside any transaction, and its answer moves the task in another transaction: so the
 * request to cancel is recorded first.
 */
export const cancel = operation({
  needs: "videos.cancel",
  /** Without `accountId` a task of any account, which only operators can request. */
  input: z.strictObject({ taskId: TaskId, accountId: AccountId.optional() }),
  run: async ({ withVideos }, { taskId, accountId }) => {
    const task = await withVideos((videos) => videos.find(taskId));
    if (!task || (accountId !== undefined && task.accountId !== accountId)) {
      throw new Refusal(`video task "${taskId}" does not exist`, "taskUnknown");
    }
    return {
      action: "task.cancel",
      accountId: task.accountId,
      target: { id: taskId, name: taskId },
      before: { status: task.state },
      finish: async () => ({
        outcome: await withVideos((videos) => videos.cancel(taskId, accountId)),
      }),
    };
  },
});
