import { z } from "zod";
import { recordChange } from "@/server/audit";
import { showAllTasks, showAnyTask, showTask, showTaskPage, taskToCancel } from "../task-views";
import { type Context, operatorProcedure, ownerProcedure, router } from "../trpc";
import { Page } from "../wire";

const id = z.string().min(1).max(200);
const Task = z.strictObject({ taskId: z.string().min(1).max(100) });

const Listing = Page.extend({
  state: z.enum(["processing", "completed", "failed", "cancelled"]).optional(),
  modelId: id.optional(),
  keyId: id.optional(),
});

type Caller = Context & { viewer: { id: string; email: string } };

/**
 * The upstream is asked outside any transaction, and what it says moves the task in one of its own: so the wish is
 * recorded first.
 */
async function cancel({ runtime, viewer, address }: Caller, target: { taskId: string; accountId?: string }) {
  const actor = { userId: viewer.id, name: viewer.email, address };
  await recordChange(runtime.db.orm, { ...(await taskToCancel(runtime, target)), actor });
  return { outcome: await runtime.videos.cancel(target.taskId, target.accountId) };
}

export const videosRouter = router({
  list: ownerProcedure
    .input(Listing)
    .query(({ ctx, input }) => showTaskPage(ctx.runtime, { ...input, accountId: ctx.accountId })),
  get: ownerProcedure
    .input(Task)
    .query(({ ctx, input }) => showTask(ctx.runtime, { ...input, accountId: ctx.accountId })),
  cancel: ownerProcedure
    .input(Task)
    .mutation(({ ctx, input }) => cancel(ctx, { ...input, accountId: ctx.accountId })),
});

export const allVideosRouter = router({
  list: operatorProcedure
    .input(Listing.extend({ accountId: id.optional(), channelId: id.optional() }))
    .query(({ ctx, input }) => showAllTasks(ctx.runtime, input)),
  get: operatorProcedure.input(Task).query(({ ctx, input }) => showAnyTask(ctx.runtime, input.taskId)),
  cancel: operatorProcedure.input(Task).mutation(({ ctx, input }) => cancel(ctx, input)),
});
