import { managementKeyOperations } from "@/server/operations";
import { managementKeyQueries } from "@/server/queries";
import { operatorOperation, ownerOperation } from "../operations";
import { operatorQuery, ownerQuery } from "../queries";
import { router } from "../trpc";

/** Keys by which programs manage an owner's account. */
export const managementKeysRouter = router({
  list: ownerQuery(managementKeyQueries.list),
  create: ownerOperation(managementKeyOperations.create),
  revoke: ownerOperation(managementKeyOperations.revoke),
});

/** Keys by which programs manage the installation. */
export const installationKeysRouter = router({
  list: operatorQuery(managementKeyQueries.list),
  create: operatorOperation(managementKeyOperations.create),
  revoke: operatorOperation(managementKeyOperations.revoke),
});
