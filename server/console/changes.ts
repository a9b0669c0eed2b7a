import { TRPCError } from "@trpc/server";
import type { SessionUser } from "@/server/access";
import { type Change, recordChange } from "@/server/audit";
import type { Context } from "./trpc";
import { middleware, operatorProcedure, ownerProcedure, sessionProcedure, userProcedure } from "./trpc";

/** What the rooms make changes in. */
export type Transaction = Parameters<typeof recordChange>[0];

/** Writes down a change of this call, in the transaction that makes it. */
type RecordChange = (change: Change) => Promise<void>;

/**
 * One transaction around a change and its row in the audit log: what fails leaves neither, and a change that writes
 * none is our mistake and is taken back.
 */
const audited = middleware(async ({ ctx, next, path }) => {
  const { runtime, viewer, address } = ctx as Context & { viewer: SessionUser };
  return await runtime.db.orm.transaction(async (transaction) => {
    let recorded = 0;
    const record: RecordChange = async (change) => {
      recorded++;
      await recordChange(transaction, {
        ...change,
        actor: { userId: viewer.id, name: viewer.email, address },
      });
    };
    const result = await next({ ctx: { db: transaction as Transaction, record } });
    if (!result.ok) {
      throw result.error;
    }
    if (recorded === 0) {
      throw new TRPCError({
        code: "INTERNAL_SERVER_ERROR",
        message: "not recorded",
        cause: new Error(`${path} recorded no change`),
      });
    }
    return result;
  });
});

/** Changes of an account's own things by its owner. `ctx.db` is the transaction, `ctx.record` its audit row. */
export const ownerChange = ownerProcedure.use(audited);

/** Changes by an operator. */
export const operatorChange = operatorProcedure.use(audited);

/** The one change of somebody who may do nothing else before it. */
export const passwordChange = sessionProcedure.use(audited);

/** Changes that somebody makes to their own sign-in. */
export const userChange = userProcedure.use(audited);
