import { z } from "zod";
import {
  createUser,
  getAccount,
  getUser,
  mintPassword,
  resetPassword,
  resetTotp,
  signOutEverywhere,
  type UserEntry,
} from "@/server/access";
import { operatorChange } from "../changes";
import { router } from "../trpc";

const id = z.string().min(1).max(100);
const User = z.strictObject({ accountId: id, userId: id });

export const Email = z.email().max(254);

export const Password = z.string().min(10).max(1024);

const targetOf = ({ accountId, id, email }: UserEntry) => ({ accountId, target: { id, name: email } });

/** Who may sign in for an account. Passwords are in an answer once and nowhere else. */
export const accountUsersRouter = router({
  add: operatorChange
    .input(z.strictObject({ accountId: id, email: Email, password: Password.optional() }))
    .mutation(async ({ ctx, input }) => {
      const { id: accountId } = await getAccount(ctx.db, input.accountId);
      const password = input.password ?? mintPassword();
      const user = await createUser(ctx.db, { accountId, email: input.email, password });
      await ctx.record({ action: "user.create", ...targetOf(user), after: { email: user.email } });
      return { email: user.email, password };
    }),
  resetPassword: operatorChange.input(User).mutation(async ({ ctx, input }) => {
    const user = await getUser(ctx.db, input);
    const password = await resetPassword(ctx.db, user.id);
    await ctx.record({ action: "user.reset_password", ...targetOf(user) });
    return { email: user.email, password };
  }),
  resetTotp: operatorChange.input(User).mutation(async ({ ctx, input }) => {
    const user = await getUser(ctx.db, input);
    await resetTotp(ctx.db, user.id);
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
});
