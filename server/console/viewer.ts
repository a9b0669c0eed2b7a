import { headers } from "next/headers";
import { getServerSession } from "next-auth";
import { cache } from "react";
import { z } from "zod";
import { findSession, isToBeSeen, noteSeen, type SessionUser } from "@/server/access";
import { systemClock } from "@/server/base/clock";
import { getRuntime, type Runtime } from "@/server/process/runtime";
import { authOptions } from "./auth";
import { deviceOf } from "./device";
import { addressOf } from "./request";

const Session = z.object({ sessionId: z.string() });

/** Notes that a session is in use, and where. Nobody is kept out because that cannot be written. */
async function see({ db, log }: Runtime, { sessionId }: SessionUser): Promise<void> {
  const sent = await headers();
  const device = deviceOf(sent.get("user-agent"));
  await noteSeen(db, { ...device, sessionId, address: addressOf(sent) }).catch((err: unknown) =>
    log.warn({ err }, "a session's last use was not noted"),
  );
}

/**
 * Who is looking, read from the database once for each page or call; null when the session is missing, over or
 * refused.
 */
export const findViewer = cache(async (): Promise<SessionUser | null> => {
  const runtime = await getRuntime();
  const session = Session.safeParse(await getServerSession(authOptions(runtime)));
  const found = session.success ? await findSession(runtime.db, session.data.sessionId) : null;
  if (found && isToBeSeen(found.lastSeenAt, systemClock())) {
    await see(runtime, found.user);
  }
  return found?.user ?? null;
});
