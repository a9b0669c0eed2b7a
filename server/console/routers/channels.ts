import { z } from "zod";
import { channelOperations, channelSaleOperations } from "@/server/operations";
import { channelQueries, offerQueries } from "@/server/queries";
import { showChannelChoices, testDraft } from "../channel-form";
import { operatorOperation } from "../operations";
import { operatorPreview, operatorQuery } from "../queries";
import { operatorProcedure, router } from "../trpc";

const modelId = channelOperations.ModelName;

export const channelsRouter = router({
  list: operatorQuery(channelQueries.list),
  get: operatorQuery(channelQueries.get),
  states: operatorQuery(channelQueries.states),
  health: operatorQuery(channelQueries.health),
  modelChecks: operatorQuery(channelQueries.modelChecks),
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
  offersOfVendor: operatorPreview(offerQueries.ofVendor),
  offersOfChannel: operatorPreview(offerQueries.ofChannel),
  open: operatorOperation(channelSaleOperations.open),
  sell: operatorOperation(channelSaleOperations.add),
  create: operatorOperation(channelOperations.create),
  update: operatorOperation(channelOperations.update),
  setEnabled: operatorOperation(channelOperations.setEnabled),
  setMovedOff: operatorOperation(channelOperations.setMovedOff),
  setModelChecks: operatorOperation(channelOperations.setModelChecks),
  seeModels: operatorOperation(channelOperations.seeModels),
  remove: operatorOperation(channelOperations.remove),
});
