import { z } from "zod";
import { lockKey, setKeyStatus } from "@/server/access";
import { operatorChange } from "../changes";
import { keyChange, showKeyPage } from "../key-views";
import { operatorProcedure, router } from "../trpc";
import { Page } from "../wire";

const id = z.string().min(1).max(100);

/** An account's keys as its operator sees them: to look at, and to switch off. */
export const accountKeysRouter = router({
  list: operatorProcedure
    .input(Page.extend({ accountId: id }))
    .query(({ ctx, input }) => showKeyPage(ctx.runtime, input)),
  setStatus: operatorChange
    .input(z.strictObject({ accountId: id, keyId: id, status: z.enum(["active", "disabled"]) }))
    .mutation(async ({ ctx, input: { status, ...target } }) => {
      const before = await lockKey(ctx.db, target);
      const after = await setKeyStatus(ctx.db, { ...target, status });
      await ctx.record(
        keyChange(status === "active" ? "key.enable" : "key.disable", after, { before, after }),
      );
    }),
});
