import { z } from "zod";
import { beginTotp, getUser, listOwnSessions, proveSession } from "@/server/access";
import { oidcOf } from "@/server/base/config";
import { securityOperations } from "@/server/operations";
import { firstOperation, ownOperation } from "../operations";
import { router, userProcedure } from "../trpc";

/** The name that an authenticator app shows above the code. */
const ISSUER = "Tollgate";

/** A user's own sign-in. */
export const securityRouter = router({
  get: userProcedure.query(async ({ ctx }) => {
    const { email, hasTotp, hasPassword, linkedTo, recoveryCodesLeft } = await getUser(ctx.runtime.db, {
      userId: ctx.viewer.id,
    });
    const provider = oidcOf(ctx.runtime.config)?.name ?? null;
    return { email, hasTotp, hasPassword, recoveryCodesLeft, linkedTo, provider };
  }),
  changePassword: firstOperation(securityOperations.setPassword),
  /** Not recorded: before `enableTotp`, nothing changes and no code is required at sign-in. */
  beginTotp: userProcedure
    .input(z.strictObject({ proof: securityOperations.Proof }))
    .mutation(({ ctx, input }) =>
      beginTotp(ctx.runtime.db, ctx.runtime.identity, {
        userId: ctx.viewer.id,
        issuer: ISSUER,
        proof: securityOperations.proofBy(input.proof, ctx.viewer.sessionId),
      }),
    ),
  enableTotp: ownOperation(securityOperations.turnTotpOn),
  disableTotp: ownOperation(securityOperations.turnTotpOff),
  renewRecoveryCodes: ownOperation(securityOperations.renewCodes),
  /** Not recorded: the link itself is, when the user comes back from the provider within minutes. */
  beginLink: userProcedure
    .input(z.strictObject({ proof: securityOperations.Proof }))
    .mutation(({ ctx, input }) =>
      proveSession(ctx.runtime.db, ctx.runtime.identity, {
        userId: ctx.viewer.id,
        sessionId: ctx.viewer.sessionId,
        proof: securityOperations.proofBy(input.proof, ctx.viewer.sessionId),
      }),
    ),
  unlink: ownOperation(securityOperations.unlink),
  sessions: userProcedure.query(async ({ ctx }) =>
    (await listOwnSessions(ctx.runtime.db, ctx.viewer.id)).map((session) => ({
      ...session,
      isCurrent: session.id === ctx.viewer.sessionId,
    })),
  ),
  endSession: ownOperation(securityOperations.endSession),
  signOutEverywhere: ownOperation(securityOperations.signOut),
});
