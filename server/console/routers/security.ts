import { z } from "zod";
import {
  beginTotp,
  changePassword,
  disableTotp,
  enableTotp,
  getUser,
  renewRecoveryCodes,
  signOutEverywhere,
  type User,
} from "@/server/access";
import type { Action, Change } from "@/server/audit";
import { passwordChange, userChange } from "../changes";
import { identityDeps } from "../identity";
import { router, userProcedure } from "../trpc";

/** What an authenticator app shows above the code. */
const ISSUER = "Tollgate";

/** Wider than what is taken, so that the room can say what is wrong with it. */
const Password = z.string().min(1).max(4096);
const Code = z.string().min(1).max(64);

const Proof = z.union([z.strictObject({ password: Password }), z.strictObject({ code: Code })]);

const own = (action: Action, { id, email, accountId }: User): Change => ({
  action,
  accountId,
  target: { id, name: email },
});

/** Everybody's own sign-in. Secrets and recovery codes are in one answer each and nowhere else. */
export const securityRouter = router({
  get: userProcedure.query(async ({ ctx }) => {
    const { email, hasTotp, recoveryCodesLeft } = await getUser(ctx.runtime.db.orm, {
      userId: ctx.viewer.id,
    });
    return { email, hasTotp, recoveryCodesLeft };
  }),
  changePassword: passwordChange
    .input(z.strictObject({ current: Password, next: Password }))
    .mutation(async ({ ctx, input }) => {
      await changePassword(ctx.db, identityDeps(ctx.runtime), { userId: ctx.viewer.id, ...input });
      await ctx.record(own("user.change_password", ctx.viewer));
    }),
  /** Not recorded: nothing is asked for at sign-in, and nothing changes, before `enableTotp`. */
  beginTotp: userProcedure.input(z.strictObject({ proof: Proof })).mutation(({ ctx, input }) =>
    beginTotp(ctx.runtime.db.orm, identityDeps(ctx.runtime), {
      userId: ctx.viewer.id,
      issuer: ISSUER,
      ...input,
    }),
  ),
  enableTotp: userChange.input(z.strictObject({ code: Code })).mutation(async ({ ctx, input }) => {
    const codes = await enableTotp(ctx.db, identityDeps(ctx.runtime), { userId: ctx.viewer.id, ...input });
    await ctx.record({
      ...own("user.enable_totp", ctx.viewer),
      before: { hasTotp: false },
      after: { hasTotp: true },
    });
    return { codes };
  }),
  disableTotp: userChange.input(z.strictObject({ proof: Proof })).mutation(async ({ ctx, input }) => {
    await disableTotp(ctx.db, identityDeps(ctx.runtime), { userId: ctx.viewer.id, ...input });
    await ctx.record({
      ...own("user.disable_totp", ctx.viewer),
      before: { hasTotp: true },
      after: { hasTotp: false },
    });
  }),
  renewRecoveryCodes: userChange.input(z.strictObject({ proof: Proof })).mutation(async ({ ctx, input }) => {
    const codes = await renewRecoveryCodes(ctx.db, identityDeps(ctx.runtime), {
      userId: ctx.viewer.id,
      ...input,
    });
    await ctx.record(own("user.renew_recovery_codes", ctx.viewer));
    return { codes };
  }),
  signOutEverywhere: userChange.mutation(async ({ ctx }) => {
    await signOutEverywhere(ctx.db, ctx.viewer.id);
    await ctx.record(own("user.sign_out_everywhere", ctx.viewer));
  }),
});
