import { z } from "zod";
import { channelOperations } from "@/server/operations";
import { Id } from "@/server/operations/schema";
import {
  showChannel,
  showChannelChoices,
  showChannels,
  showRoutes,
  testDraft,
  testStored,
} from "../channel-views";
import { operatorOperation } from "../operations";
import { operatorProcedure, router } from "../trpc";

const modelId = channelOperations.ModelName;

const Target = z.strictObject({ channelId: Id });

export const channelsRouter = router({
  list: operatorProcedure.query(({ ctx }) => showChannels(ctx.runtime)),
  get: operatorProcedure.input(Target).query(({ ctx, input }) => showChannel(ctx.runtime, input.channelId)),
  /** What the process that answers has seen; another replica may have seen something else. */
  states: operatorProcedure.query(({ ctx }) => ctx.runtime.channels.states()),
  choices: operatorProcedure.query(({ ctx }) => showChannelChoices(ctx.runtime)),
  routes: operatorProcedure
    .input(z.strictObject({ modelId }))
    .query(({ ctx, input }) => showRoutes(ctx.runtime, input.modelId)),
  /** Tests change nothing, so they are not recorded, and no transaction waits for an upstream. */
  test: operatorProcedure
    .input(Target.extend({ modelId, credential: z.number().int().min(0).optional() }))
    .mutation(({ ctx, input }) => testStored(ctx.runtime, input)),
  /** What would be created, as it is in a form. */
  testDraft: operatorProcedure
    .input(z.strictObject({ draft: channelOperations.create.input, modelId }))
    .mutation(({ ctx, input: { draft, modelId: tested } }) =>
      testDraft(ctx.runtime, { ...draft, ...draft.models }, tested),
    ),
  create: operatorOperation(channelOperations.create),
  update: operatorOperation(channelOperations.update),
  setEnabled: operatorOperation(channelOperations.setEnabled),
  remove: operatorOperation(channelOperations.remove),
});
