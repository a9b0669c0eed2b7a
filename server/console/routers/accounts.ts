import { z } from "zod";
import { accountOperations } from "@/server/operations";
import { Id, Page, Status } from "@/server/operations/schema";
import { operatorOperation } from "../operations";
import { operatorProcedure, router } from "../trpc";
import { accountKeysRouter } from "./account-keys";
import { showAccount, showAccountPage } from "./account-view";

const Listing = Page.extend({ search: z.string().max(100).optional(), status: Status.optional() });

export const accountsRouter = router({
  keys: accountKeysRouter,
  list: operatorProcedure.input(Listing).query(({ ctx, input }) => showAccountPage(ctx.runtime, input)),
  get: operatorProcedure
    .input(z.strictObject({ accountId: Id }))
    .query(({ ctx, input }) => showAccount(ctx.runtime, input.accountId)),
  create: operatorOperation(accountOperations.create),
  rename: operatorOperation(accountOperations.rename),
  setStatus: operatorOperation(accountOperations.setStatus),
  setLimits: operatorOperation(accountOperations.setLimits),
  setQuota: operatorOperation(accountOperations.setQuota),
  topUp: operatorOperation(accountOperations.topUp),
});
