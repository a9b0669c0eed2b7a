import { z } from "zod";
import { taskOperations } from "@/server/operations";
import { Page } from "@/server/operations/schema";
import { operatorOperation, ownerOperation } from "../operations";
import { showAllTasks, showAnyTask, showTask, showTaskPage } from "../task-views";
import { operatorProcedure, ownerProcedure, router } from "../trpc";

const id = z.string().min(1).max(200);
const Task = z.strictObject({ taskId: z.string().min(1).max(100) });

const Listing = Page.extend({
  state: z.enum(["processing", "completed", "failed", "cancelled"]).optional(),
  modelId: id.optional(),
  keyId: id.optional(),
});

export const videosRouter = router({
  list: ownerProcedure
    .input(Listing)
    .query(({ ctx, input }) => showTaskPage(ctx.runtime, { ...input, accountId: ctx.accountId })),
  get: ownerProcedure
    .input(Task)
    .query(({ ctx, input }) => showTask(ctx.runtime, { ...input, accountId: ctx.accountId })),
  cancel: ownerOperation(taskOperations.cancel),
});

export const allVideosRouter = router({
  list: operatorProcedure
    .input(Listing.extend({ accountId: id.optional(), channelId: id.optional() }))
    .query(({ ctx, input }) => showAllTasks(ctx.runtime, input)),
  get: operatorProcedure.input(Task).query(({ ctx, input }) => showAnyTask(ctx.runtime, input.taskId)),
  cancel: operatorOperation(taskOperations.cancel),
});
