import { initTRPC, TRPCError } from "@trpc/server";
import { z } from "zod";
import type { SessionUser } from "@/server/access";
import { limitConcurrency } from "@/server/base/concurrency";
import { lookUp } from "@/server/base/deadline";
import type { Language } from "@/server/base/language";
import { isStorable } from "@/server/base/storable";
import { isTransient } from "@/server/base/transient";
import type { Permission } from "@/server/domain/enums";
import { Refusal } from "@/server/domain/refusal";
import { mayAll } from "@/server/domain/roles";
import type { Runtime } from "@/server/runtime/runtime";

/** One HTTP request of the console; a batch of calls shares it. */
export type Context = {
  runtime: Runtime;
  viewer: SessionUser | null;
  /** The browser's address, as the server in front of Next saw it. */
  address: string | null;
  /** The console's address for the browser: `https://host`. */
  origin: string;
  /** The reader's. */
  language: Language;
  requestId: string;
};

/** Matched by shape: an error made in the server's bundle has another class than this bundle's. */
const Shown = z.object({
  name: z.enum(["Refusal", "GatewayError"]),
  message: z.string(),
  /** A refusal has a `reason`, a gateway error a `slug`. */
  reason: z.string().nullish(),
  slug: z.string().nullish(),
  values: z.record(z.string(), z.union([z.string(), z.number()])).nullish(),
});

const shownOf = (cause: unknown) => {
  const shown = Shown.safeParse(cause);
  return shown.success ? shown.data : null;
};

/** The slug for an unreachable database, as in the gateway's errors. */
const AWAY = "unavailable";

const reasons: Partial<Record<TRPCError["code"], string>> = {
  INTERNAL_SERVER_ERROR: "internal",
  FORBIDDEN: "forbidden",
  UNAUTHORIZED: "signedOut",
  BAD_REQUEST: "invalid",
};

/** Metadata of a procedure. */
type Meta = {
  /** It records its changes. */
  isOperation?: true;
  /** The permission that a role needs; undefined: every role may call it. */
  needs?: Permission;
};

const t = initTRPC
  .context<Context>()
  .meta<Meta>()
  .create({
    /** The error as the client sees it: never the text or the stack of an unexpected error (`answerTrpc` logs it). */
    errorFormatter: ({ shape, error, path, ctx }) => {
      const shown = shownOf(error.cause);
      const isOurs = error.code === "INTERNAL_SERVER_ERROR";
      return {
        code: shape.code,
        message: shown?.message ?? (isOurs ? "Something went wrong on the server" : error.message),
        data: {
          code: error.code,
          httpStatus: shape.data.httpStatus,
          path,
          requestId: ctx?.requestId ?? "",
          reason: shown?.reason ?? shown?.slug ?? (isTransient(error) ? AWAY : reasons[error.code]) ?? null,
          values: shown?.values ?? {},
        },
      };
    },
  });

/**
 * Longer than a test of a channel takes. Without it a page would wait for ever for a database that accepts connections
 * and stays silent.
 */
const PROCEDURE_MS = 30_000;

const refusals = t.middleware(async ({ next }) => {
  const result = await lookUp(next(), PROCEDURE_MS);
  // An error that already has a code keeps it.
  if (!result.ok && result.error.code === "INTERNAL_SERVER_ERROR" && shownOf(result.error.cause)) {
    throw new TRPCError({ code: "BAD_REQUEST", message: result.error.message, cause: result.error.cause });
  }
  return result;
});

/** Text that no query can contain is the browser's mistake, not ours. */
const storable = t.middleware(async ({ next, getRawInput }) => {
  if (!isStorable(await getRawInput())) {
    throw new TRPCError({ code: "BAD_REQUEST", message: "There is a character that cannot be stored" });
  }
  return next();
});

/** Enough for any page; a batch, or many of them, must not take every connection to the database. */
const takeTurn = limitConcurrency(6);

/** For clients without a session: an address has as many turns as a user. */
export const publicProcedure = t.procedure
  .use(refusals)
  .use(storable)
  .use(({ ctx, next }) => takeTurn(ctx.address ?? "unknown", () => next()));

/** For users with a session, also those who must change their password before anything else. */
export const sessionProcedure = t.procedure
  .use(refusals)
  .use(({ ctx, next }) => {
    if (!ctx.viewer) {
      throw new TRPCError({ code: "UNAUTHORIZED", message: "Please sign in again" });
    }
    return next({ ctx: { viewer: ctx.viewer } });
  })
  .use(({ ctx, next }) => takeTurn(ctx.viewer.id, () => next()))
  .use(storable);

const signedIn = sessionProcedure.use(({ ctx, next }) => {
  if (ctx.viewer.mustChangePassword) {
    const cause = new Refusal("someone else set this password: change it first", "passwordChangeNeeded");
    throw new TRPCError({ code: "FORBIDDEN", message: cause.message, cause });
  }
  return next();
});

const forbidden = () => new TRPCError({ code: "FORBIDDEN", message: "You may not do this" });

/** For every signed-in user, about themselves. */
export const userProcedure = signedIn;

const permitted = signedIn.use(({ ctx, meta, next }) => {
  if (!meta?.needs || !mayAll(ctx.viewer.role, [meta.needs])) {
    throw forbidden();
  }
  return next();
});

const ofAccount = permitted.use(({ ctx, next }) => {
  if (ctx.viewer.accountId === null) {
    throw forbidden();
  }
  return next({ ctx: { accountId: ctx.viewer.accountId } });
});

const ofStaff = permitted.use(({ ctx, next }) => {
  if (ctx.viewer.accountId !== null) {
    throw forbidden();
  }
  return next();
});

/** For an account's users whose role has the permission. The account is always the session's. */
export const ownerProcedure = (needs: Permission) => ofAccount.meta({ needs });

/** For operators whose role has the permission. */
export const operatorProcedure = (needs: Permission) => ofStaff.meta({ needs });

export const { router } = t;
