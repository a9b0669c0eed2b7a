import { headers } from "next/headers";
import { cache } from "react";
import { findSession, isToBeSeen, noteSeen, type SessionUser } from "@/server/access";
import { systemClock } from "@/server/base/clock";
import { readerLanguage } from "@/server/base/language";
import { readSessionId } from "@/server/domain/session-cookie";
import type { Runtime } from "@/server/runtime/runtime";
import { getRuntime } from "@/server/runtime/shared-runtime";
import { deviceOf } from "./device";
import { addressOf } from "./request";

/** Notes that a session is in use, and where. If that cannot be written, the user is let in all the same. */
async function see({ db, log }: Runtime, { sessionId, id: userId }: SessionUser): Promise<void> {
  const requestHeaders = await headers();
  const device = deviceOf(requestHeaders.get("user-agent"));
  const lastUse = { ...device, sessionId, userId, address: addressOf(requestHeaders) };
  await noteSeen(db, { ...lastUse, language: readerLanguage(requestHeaders) }).catch((err: unknown) =>
    log.warn({ err }, "the last use of a session could not be stored"),
  );
}

/** The signed-in user, and the name of their account if they have one. */
export type FoundViewer = SessionUser & { accountName: string | null };

/** The viewer, read from the database once for each page or call; null if the session is missing, over or refused. */
export const findViewer = cache(async (): Promise<FoundViewer | null> => {
  const runtime = await getRuntime();
  const sessionId = await readSessionId(runtime.secrets, (await headers()).get("cookie") ?? "");
  const session = sessionId === null ? null : await findSession(runtime.db, sessionId);
  if (session && isToBeSeen(session.lastSeenAt, systemClock())) {
    await see(runtime, session.user);
  }
  return session && { ...session.user, accountName: session.accountName };
});
