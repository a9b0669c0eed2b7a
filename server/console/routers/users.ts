import { z } from "zod";
import {
  createUser,
  getAccount,
  getUser,
  issueLink,
  linkPath,
  listUsers,
  removeUser,
  resetPassword,
  resetTotp,
  setReadOnly,
  setUserStatus,
  signOutEverywhere,
  type UserEntry,
} from "@/server/access";
import { Email } from "@/server/access/schema";
import { operatorChange, type Transaction } from "../changes";
import { type Context, operatorProcedure, router } from "../trpc";
import { Id } from "../wire";

const User = z.strictObject({ userId: Id });

const targetOf = ({ accountId, id, email }: UserEntry) => ({ accountId, target: { id, name: email } });

/** The link by which somebody sets their password. It is in this answer and nowhere else. */
export async function invite(ctx: Context & { db: Transaction }, user: { id: string; email: string }) {
  const { token, expiresAt } = await issueLink(ctx.db, user.id);
  const origin = ctx.runtime.config.PUBLIC_URL ?? ctx.origin;
  return { email: user.email, url: `${origin}${linkPath(token)}`, expiresAt };
}

/** Who may sign in: accounts' users, and those who run the gateway. No password passes through here. */
export const usersRouter = router({
  /** Those who run the gateway; an account's users are shown with it. */
  list: operatorProcedure.query(({ ctx }) => listUsers(ctx.runtime.db.orm, { accountId: null })),
  /** Without an account: an operator, or with `isReadOnly` a viewer. */
  add: operatorChange
    .input(z.strictObject({ accountId: Id.nullable(), email: Email, isReadOnly: z.boolean().optional() }))
    .mutation(async ({ ctx, input: { accountId, email, isReadOnly = false } }) => {
      const account = accountId === null ? null : await getAccount(ctx.db, accountId);
      const wanted = { accountId: account?.id ?? null, email, isReadOnly, password: null };
      const user = await createUser(ctx.db, wanted);
      const after = { email: user.email, role: user.role };
      await ctx.record({ action: "user.create", ...targetOf(user), after });
      return await invite(ctx, user);
    }),
  /** A new invitation too, for somebody who has not set a password yet. */
  resetPassword: operatorChange.input(User).mutation(async ({ ctx, input: { userId } }) => {
    const user = await resetPassword(ctx.db, { userId, by: ctx.viewer.id, password: null });
    const action = user.hasPassword ? "user.reset_password" : "user.invite";
    await ctx.record({ action, ...targetOf(user) });
    return await invite(ctx, user);
  }),
  /** Of somebody else: one's own needs a proof (see `security`). */
  resetTotp: operatorChange.input(User).mutation(async ({ ctx, input }) => {
    const user = await resetTotp(ctx.db, { ...input, by: ctx.viewer.id });
    await ctx.record({
      action: "user.reset_totp",
      ...targetOf(user),
      before: { hasTotp: user.hasTotp },
      after: { hasTotp: false },
    });
  }),
  signOut: operatorChange.input(User).mutation(async ({ ctx, input }) => {
    const user = await getUser(ctx.db, input);
    await signOutEverywhere(ctx.db, user.id);
    await ctx.record({ action: "user.sign_out_everywhere", ...targetOf(user) });
  }),
  setStatus: operatorChange
    .input(User.extend({ status: z.enum(["active", "disabled"]) }))
    .mutation(async ({ ctx, input }) => {
      const before = await setUserStatus(ctx.db, { ...input, by: ctx.viewer.id });
      await ctx.record({
        action: input.status === "active" ? "user.enable" : "user.disable",
        ...targetOf(before),
        before: { status: before.status },
        after: { status: input.status },
      });
    }),
  setReadOnly: operatorChange
    .input(User.extend({ isReadOnly: z.boolean() }))
    .mutation(async ({ ctx, input }) => {
      const before = await setReadOnly(ctx.db, { ...input, by: ctx.viewer.id });
      await ctx.record({
        action: "user.set_role",
        ...targetOf(before),
        before: { role: before.role },
        after: { role: input.isReadOnly ? "viewer" : "operator" },
      });
    }),
  remove: operatorChange.input(User).mutation(async ({ ctx, input }) => {
    const before = await removeUser(ctx.db, { ...input, by: ctx.viewer.id });
    await ctx.record({
      action: "user.remove",
      ...targetOf(before),
      before: { email: before.email, role: before.role },
    });
  }),
});
