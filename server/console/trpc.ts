import { initTRPC, TRPCError } from "@trpc/server";
import type { User } from "@/server/access";
import { Refusal } from "@/server/refusal";
import type { Runtime } from "@/server/runtime";

type Context = { runtime: Runtime; viewer: User | null };

const t = initTRPC.context<Context>().create({
  // An unexpected error keeps its text and stack here (see `answerTrpc`, which logs it).
  errorFormatter: ({ shape, error, path }) => ({
    code: shape.code,
    message:
      error.code === "INTERNAL_SERVER_ERROR"
        ? "服务器内部错误 · Something went wrong on the server"
        : error.message,
    data: { code: error.code, httpStatus: shape.data.httpStatus, path },
  }),
});

/** By name: an error that the server's bundle made is of another class than this bundle's. */
const isForTheViewer = (cause: unknown): cause is Error =>
  cause instanceof Refusal || (cause instanceof Error && cause.name === "GatewayError");

const refusals = t.middleware(async ({ next }) => {
  const result = await next();
  if (!result.ok && isForTheViewer(result.error.cause)) {
    const { cause } = result.error;
    throw new TRPCError({ code: "BAD_REQUEST", message: cause.message, cause });
  }
  return result;
});

const signedIn = t.procedure.use(refusals).use(({ ctx, next }) => {
  if (!ctx.viewer) {
    throw new TRPCError({ code: "UNAUTHORIZED", message: "请重新登录 · Please sign in again" });
  }
  return next({ ctx: { viewer: ctx.viewer } });
});

const forbidden = () => new TRPCError({ code: "FORBIDDEN", message: "没有权限 · You may not do this" });

/** For an account's owner. The account is always the session's. */
export const ownerProcedure = signedIn.use(({ ctx, next }) => {
  if (ctx.viewer.accountId === null) {
    throw forbidden();
  }
  return next({ ctx: { accountId: ctx.viewer.accountId } });
});

export const operatorProcedure = signedIn.use(({ ctx, next }) => {
  if (ctx.viewer.role !== "operator") {
    throw forbidden();
  }
  return next();
});

export const { router } = t;
