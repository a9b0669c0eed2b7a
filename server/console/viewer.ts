import { getServerSession } from "next-auth";
import { cache } from "react";
import { z } from "zod";
import { findSessionUser, type SessionUser } from "@/server/access";
import { getRuntime } from "@/server/process/runtime";
import { authOptions } from "./auth";

const Session = z.object({ sessionId: z.string() });

/**
 * Who is looking, read from the database once for each page or call; null when the session is missing, over or
 * refused.
 */
export const findViewer = cache(async (): Promise<SessionUser | null> => {
  const runtime = await getRuntime();
  const session = Session.safeParse(await getServerSession(authOptions(runtime)));
  return session.success ? await findSessionUser(runtime.db, session.data.sessionId) : null;
});
