import type { NextRequest } from "next/server";
import NextAuth, { type AuthOptions } from "next-auth";
import type { JWT } from "next-auth/jwt";
import Credentials from "next-auth/providers/credentials";
import { z } from "zod";
import { endSession, SESSION_SECONDS, type SessionUser, type SignInResult, signIn } from "@/server/access";
import { lookUp } from "@/server/base/deadline";
import { isStorable } from "@/server/base/storable";
import { openCookie, readSessionId } from "@/server/domain/session-cookie";
import type { Runtime } from "@/server/runtime/runtime";
import { getRuntime } from "@/server/runtime/shared-runtime";
import { redirectWithin, withReadableCallback } from "./callback-url";
import { withProvider } from "./oidc";
import { PROVIDER_ID } from "./oidc-provider";
import { addressOf, originOf } from "./request";

declare module "next-auth" {
  interface User {
    sessionId: string;
  }
}

/** Not strict: next-auth passes on its own form fields. The bounds keep the hash's input small. */
const Form = z.object({
  email: z.string().min(1).max(320).refine(isStorable),
  password: z.string().min(1).max(1024),
  code: z.string().max(64).optional(),
});

const addressIn = (headers: Record<string, unknown> | undefined): string | null =>
  addressOf({
    get: (name) => {
      const value = headers?.[name];
      return typeof value === "string" ? value : null;
    },
  });

/** Logs neither e-mail nor password, because people type the one into the field of the other. */
const noteRefusal = ({ log }: Runtime, refusal: { outcome: string; address: string | null }) =>
  log.info(refusal, "sign-in refused");

const isThrottled = (error: unknown) =>
  error instanceof Error && error.name === "GatewayError" && "kind" in error && error.kind === "rateLimited";

async function check(runtime: Runtime, attempt: Parameters<typeof signIn>[2]): Promise<SignInResult> {
  try {
    return await signIn(runtime.db, runtime.identity, attempt);
  } catch (error) {
    if (isThrottled(error)) {
      noteRefusal(runtime, { outcome: "throttled", address: attempt.address });
      throw new Error("throttled", { cause: error });
    }
    runtime.log.error({ err: error }, "sign-in failed");
    throw new Error("unavailable", { cause: error });
  }
}

/**
 * The message of an error thrown here goes to the browser as `?error=<message>`, so it is one of our codes:
 * `throttled`, `unavailable`, `code_required`, `code_wrong` or `disabled`. next-auth turns null into its own
 * `CredentialsSignin`.
 */
async function authorize(
  runtime: Runtime,
  form: unknown,
  address: string | null,
): Promise<SessionUser | null> {
  const parsed = Form.safeParse(form);
  if (!parsed.success) {
    noteRefusal(runtime, { outcome: "malformed", address });
    return null;
  }
  const { email, password, code } = parsed.data;
  const result = await check(runtime, { email, password, code: code ?? null, address });
  if (result.outcome === "signed_in") {
    return result.user;
  }
  // A request for the code is half a sign-in, and no refusal yet.
  if (result.outcome !== "code_required") {
    noteRefusal(runtime, { outcome: result.outcome, address });
  }
  if (result.outcome === "refused") {
    return null;
  }
  throw new Error(result.outcome);
}

/**
 * The cookie is a signed name of a session's row; the user and their permissions are read at each call. The console's
 * address is the request's own (AUTH_TRUST_HOST in next.config.mjs): a port needs no setting, and the cookies are
 * secure if the request came by https.
 */
export function authOptions(runtime: Runtime): AuthOptions {
  const { log } = runtime;
  return {
    secret: runtime.secrets.authSecret,
    session: { strategy: "jwt", maxAge: SESSION_SECONDS },
    jwt: { decode: (cookie) => openCookie(runtime.secrets, cookie) },
    pages: { signIn: "/sign-in", signOut: "/", error: "/sign-in" },
    providers: [
      Credentials({
        credentials: { email: {}, password: {}, code: {} },
        authorize: (form, request) => authorize(runtime, form, addressIn(request.headers)),
      }),
    ],
    callbacks: {
      // `user` is set at sign-in only; later the token is the one made then.
      jwt: ({ token, user }) => (user ? { sub: user.sessionId } : token),
      redirect: redirectWithin,
      session: ({ session, token }) => ({ expires: session.expires, sessionId: token.sub }),
    },
    logger: {
      error: (code, details) => log.warn({ code, said: wordsOf(details) }, "next-auth"),
      warn: (code) => log.debug({ code }, "next-auth"),
      debug: (code) => log.debug({ code }, "next-auth"),
    },
  };
}

/** The facts of a request from a user who is on the way to the provider or back. */
const askingOf = async (runtime: Runtime, headers: Headers) => ({
  address: addressOf(headers),
  origin: originOf(headers),
  sessionId: await readSessionId(runtime.secrets, headers.get("cookie") ?? ""),
});

/**
 * The message of an error of next-auth, in one line. The rest of the error is not logged: it may contain the request
 * with our secret, or the token.
 */
const wordsOf = (details: unknown): string => {
  const error = details instanceof Error ? details : (details as { error?: unknown } | null)?.error;
  return error instanceof Error ? error.message.slice(0, 500).replace(/\p{C}+/gu, " ") : "";
};

/**
 * `/api/auth/*`. A sign-out ends the session's row before it removes the cookie, so that a copy of the cookie is
 * worthless. If that fails, the answer is a 503 and the browser keeps the cookie, which next-auth would remove whatever
 * is thrown.
 */
export async function answerAuth(
  request: NextRequest,
  context: { params: Promise<{ nextauth: string[] }> },
): Promise<Response> {
  const runtime = await getRuntime();
  const failures: unknown[] = [];
  const signOut = async ({ token }: { token: JWT }) =>
    await lookUp(endSession(runtime.db, token.sub ?? "")).catch((error: unknown) => {
      failures.push(error);
      throw error;
    });
  const options: AuthOptions = { ...authOptions(runtime), events: { signOut } };
  const [, provider] = (await context.params).nextauth;
  const asking = provider === PROVIDER_ID ? await askingOf(runtime, request.headers) : null;
  const whole = await withProvider(runtime, options, asking);
  const readable = withReadableCallback(request, whole);
  const response = readable.mend(await NextAuth(readable.request, context, readable.options));
  return failures.length === 0
    ? response
    : Response.json({ error: "unavailable" }, { status: 503, headers: { "retry-after": "1" } });
}
