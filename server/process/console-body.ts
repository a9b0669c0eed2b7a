import type { IncomingMessage } from "node:http";
import { findSessionUser, type SessionUser } from "@/server/access";
import { asGatewayError, errorReply } from "@/server/base/errors";
import { languageOf } from "@/server/base/language";
import { plainReply, type Reply } from "@/server/base/reply";
import { readSessionId } from "@/server/domain/session-cookie";
import { type BodyBytes, MAX_BODY_BYTES } from "@/server/gateway";
import type { Runtime } from "../runtime/runtime";

/** Enough for every form, including a sign-in. */
const FORM_BYTES = 64 * 1024;

/** Segments without dots or escapes, so that no path can pose as another. */
const LIMITS: readonly [path: RegExp, maxBytes: number][] = [
  [/^\/api\/playground(?:\/[\w-]+)+$/, MAX_BODY_BYTES],
  [/^\/api\/trpc\/[^/]+$/, 1024 * 1024],
];

/** Browsers announce the length of their bodies; a body of unknown length would pass every limit. */
function refuseLength({ headers }: IncomingMessage, { path, length }: { path: string; length: number }) {
  if (headers["transfer-encoding"] !== undefined) {
    return plainReply(411, "The length of the body must be announced (Content-Length).");
  }
  const maxBytes = LIMITS.find(([pattern]) => pattern.test(path))?.[1] ?? FORM_BYTES;
  return length > maxBytes ? plainReply(413, `The body is larger than ${maxBytes / 1024} kB.`) : null;
}

async function findSender(
  { secrets, db }: Runtime,
  { headers }: IncomingMessage,
): Promise<SessionUser | null> {
  const sessionId = await readSessionId(secrets, headers.cookie ?? "");
  return sessionId === null ? null : await findSessionUser(db, sessionId);
}

/**
 * Refuses bodies that no page of the console sends, before Next, which buffers a body before it checks who sent it. A
 * body larger than a form is accepted from signed-in users only, and counts among the bodies of their account until
 * `release`, which must be called after the answer.
 */
export async function admitBody(
  runtime: Runtime,
  incoming: IncomingMessage,
  path: string,
): Promise<{ refusal: Reply } | { release: BodyBytes["release"] }> {
  const length = Number(incoming.headers["content-length"] ?? 0);
  const refusal = refuseLength(incoming, { path, length });
  if (refusal) {
    return { refusal };
  }
  if (length <= FORM_BYTES) {
    // Forms are not counted, so that other users' uploads do not keep a user from signing in.
    return { release: () => {} };
  }
  try {
    const sender = await findSender(runtime, incoming);
    if (!sender) {
      return { refusal: plainReply(401, "Sign in first.") };
    }
    const bytes = runtime.bodies.open({ id: sender.id, accountId: sender.accountId ?? sender.id });
    await bytes.take(length);
    return { release: bytes.release };
  } catch (error) {
    const language = languageOf(incoming.headers["accept-language"] ?? null);
    return {
      refusal: errorReply(asGatewayError(error), { language, redact: runtime.redact, isCompat: false }),
    };
  }
}
