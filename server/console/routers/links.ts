import { z } from "zod";
import { requestPassword } from "@/server/access";
import { Email } from "@/server/access/schema";
import { Refusal } from "@/server/domain/refusal";
import { alertOperations, securityOperations } from "@/server/operations";
import { linkOperation } from "../operations";
import { publicProcedure, router } from "../trpc";

/** Actions of a person without a session, by a link or for one. */
export const linksRouter = router({
  setPassword: linkOperation(securityOperations.setPasswordByLink),
  /**
   * Asks for a link by e-mail. Every address gets the same answer after the same work. Not recorded here: the worker
   * looks for the address's user, and records the link that it sends.
   */
  askPassword: publicProcedure.input(z.strictObject({ email: Email })).mutation(async ({ ctx, input }) => {
    const { runtime, language, address } = ctx;
    if (runtime.config.SMTP_URL === undefined) {
      throw new Refusal("email is not set up: SMTP_URL is not set", "mailNotSetUp");
    }
    await requestPassword(runtime.db, runtime.identity, { ...input, language, address });
  }),
  unsubscribe: linkOperation(alertOperations.leave),
});
