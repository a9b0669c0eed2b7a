import { z } from "zod";
import { channelOperations } from "@/server/operations";
import { channelQueries } from "@/server/queries";
import { showChannelChoices, testDraft } from "../channel-form";
import { operatorOperation } from "../operations";
import { operatorQuery } from "../queries";
import { operatorProcedure, router } from "../trpc";

const modelId = channelOperations.ModelName;

export const channelsRouter = router({
  list: operatorQuery(channelQueries.list),
  get: operatorQuery(channelQueries.get),
  states: operatorQuery(channelQueries.states),
  health: operatorQuery(channelQueries.health),
  choices: operatorProcedure("channels.read").query(({ ctx }) => showChannelChoices(ctx.runtime)),
  routes: operatorQuery(channelQueries.routes),
  test: operatorProcedure(channelQueries.test.needs)
    .input(channelQueries.test.input)
    .mutation(({ ctx, input }) => channelQueries.test.read(ctx.runtime, input, "operator")),
  /** Tests a new channel as it is in a form. */
  testDraft: operatorProcedure("channels.write")
    .input(z.strictObject({ draft: channelOperations.create.input, modelId }))
    .mutation(({ ctx, input: { draft, modelId: tested } }) =>
      testDraft(ctx.runtime, { ...draft, ...draft.models }, tested),
    ),
  create: operatorOperation(channelOperations.create),
  update: operatorOperation(channelOperations.update),
  setEnabled: operatorOperation(channelOperations.setEnabled),
  setMovedOff: operatorOperation(channelOperations.setMovedOff),
  remove: operatorOperation(channelOperations.remove),
});
