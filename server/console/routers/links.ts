import { z } from "zod";
import { redeemLink } from "@/server/access";
import { recordChange } from "@/server/audit";
import { identityDeps } from "../identity";
import { publicProcedure, router } from "../trpc";

/** What somebody may do who has no session, but the link that an operator gave them. */
export const linksRouter = router({
  /** Says who they are, so that they can sign in with the password that they have set. */
  setPassword: publicProcedure
    .input(z.strictObject({ token: z.string().min(1).max(100), password: z.string().min(1).max(4096) }))
    .mutation(async ({ ctx, input }) => {
      const { address, runtime } = ctx;
      return await runtime.db.orm.transaction(async (transaction) => {
        const user = await redeemLink(transaction, identityDeps(runtime), { ...input, address });
        await recordChange(transaction, {
          action: "user.set_password",
          accountId: user.accountId,
          target: { id: user.id, name: user.email },
          actor: { userId: user.id, name: user.email, address },
        });
        return { email: user.email, hasTotp: user.hasTotp };
      });
    }),
});
