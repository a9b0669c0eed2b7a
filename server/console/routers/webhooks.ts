import { webhookOperations } from "@/server/operations";
import { webhookQueries } from "@/server/queries";
import { operatorOperation, ownerOperation } from "../operations";
import { operatorQuery, ownerQuery } from "../queries";
import { router } from "../trpc";

/** Webhooks of an owner's account. */
export const webhooksRouter = router({
  list: ownerQuery(webhookQueries.list),
  deliveries: ownerQuery(webhookQueries.deliveries),
  create: ownerOperation(webhookOperations.create),
  update: ownerOperation(webhookOperations.update),
  rotate: ownerOperation(webhookOperations.rotate),
  remove: ownerOperation(webhookOperations.remove),
  test: ownerOperation(webhookOperations.test),
  redeliver: ownerOperation(webhookOperations.redeliver),
});

/** Webhooks of operators, which receive the events of every account. */
export const installationWebhooksRouter = router({
  list: operatorQuery(webhookQueries.list),
  deliveries: operatorQuery(webhookQueries.deliveries),
  create: operatorOperation(webhookOperations.create),
  update: operatorOperation(webhookOperations.update),
  rotate: operatorOperation(webhookOperations.rotate),
  remove: operatorOperation(webhookOperations.remove),
  test: operatorOperation(webhookOperations.test),
  redeliver: operatorOperation(webhookOperations.redeliver),
});
