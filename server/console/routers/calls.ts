import { z } from "zod";
import { Moment, Page } from "@/server/operations/schema";
import { showAllCalls, showAnyCall, showCall, showCallPage } from "../call-views";
import { operatorProcedure, ownerProcedure, router } from "../trpc";

const id = z.string().min(1).max(200);
const Call = z.strictObject({ requestId: z.string().min(1).max(100) });

const Endpoint = z.enum([
  "chat.completions",
  "messages",
  "messages.count_tokens",
  "embeddings",
  "videos.submit",
  "videos.status",
  "videos.content",
]);

/** Which calls of an account. */
export const OwnCalls = z.strictObject({
  keyId: id.optional(),
  modelId: id.optional(),
  endpoint: Endpoint.optional(),
  status: z.enum(["ok", "failed"]).optional(),
  from: Moment.optional(),
  until: Moment.optional(),
  requestId: id.optional(),
});

/** Which calls of anybody's. */
export const AllCalls = OwnCalls.extend({ accountId: id.optional() });

export const callsRouter = router({
  list: ownerProcedure
    .input(OwnCalls.extend(Page.shape))
    .query(({ ctx, input }) => showCallPage(ctx.runtime, { ...input, accountId: ctx.accountId })),
  get: ownerProcedure
    .input(Call)
    .query(({ ctx, input }) => showCall(ctx.runtime, { ...input, accountId: ctx.accountId })),
});

export const allCallsRouter = router({
  list: operatorProcedure
    .input(AllCalls.extend(Page.shape))
    .query(({ ctx, input }) => showAllCalls(ctx.runtime, input)),
  get: operatorProcedure.input(Call).query(({ ctx, input }) => showAnyCall(ctx.runtime, input.requestId)),
});
