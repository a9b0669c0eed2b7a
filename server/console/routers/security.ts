import { z } from "zod";
import { beginTotp, getUser } from "@/server/access";
import { securityOperations } from "@/server/operations";
import { firstOperation, ownOperation } from "../operations";
import { router, userProcedure } from "../trpc";

/** What an authenticator app shows above the code. */
const ISSUER = "Tollgate";

/** Everybody's own sign-in. */
export const securityRouter = router({
  get: userProcedure.query(async ({ ctx }) => {
    const { email, hasTotp, recoveryCodesLeft } = await getUser(ctx.runtime.db, {
      userId: ctx.viewer.id,
    });
    return { email, hasTotp, recoveryCodesLeft };
  }),
  changePassword: firstOperation(securityOperations.setPassword),
  /** Not recorded: nothing is asked for at sign-in, and nothing changes, before `enableTotp`. */
  beginTotp: userProcedure
    .input(z.strictObject({ proof: securityOperations.Proof }))
    .mutation(({ ctx, input }) =>
      beginTotp(ctx.runtime.db, ctx.runtime.identity, {
        userId: ctx.viewer.id,
        issuer: ISSUER,
        ...input,
      }),
    ),
  enableTotp: ownOperation(securityOperations.turnTotpOn),
  disableTotp: ownOperation(securityOperations.turnTotpOff),
  renewRecoveryCodes: ownOperation(securityOperations.renewCodes),
  signOutEverywhere: ownOperation(securityOperations.signOut),
});
