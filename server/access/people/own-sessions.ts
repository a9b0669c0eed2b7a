/** A user's own sessions, for their settings page. */
import { and, desc, eq, gt, sql } from "drizzle-orm";
import type { Language } from "@/server/base/language";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { Refusal } from "@/server/domain/refusal";
import { canonicalCidr, plainAddress } from "../keys/cidr";

const { sessions, users } = tables;

/** Browser and operating system from the browser's headers; null: unknown. */
export type Device = { browser: string | null; system: string | null };

/** Precision of a session's last-seen time: not every request writes it. */
const SEEN_EVERY_MS = 5 * 60_000;

/**
 * Shortens an address to a /24, or in IPv6 a /48: enough to recognise one's own network, too little to find a house.
 */
export function networkNear(address: string | null): string | null {
  const plain = address === null ? null : plainAddress(address);
  return plain === null ? null : canonicalCidr(`${plain}/${plain.includes(":") ? 48 : 24}`);
}

export const isToBeSeen = (lastSeenAt: Date | null, now: Date): boolean =>
  lastSeenAt === null || now.getTime() - lastSeenAt.getTime() > SEEN_EVERY_MS;

/** Also notes the language of the console there: e-mails to the user are in the one that they last used. */
export async function noteSeen(
  db: Db,
  {
    sessionId,
    userId,
    address,
    language,
    ...device
  }: Device & { sessionId: string; userId: string; address: string | null; language: Language },
): Promise<void> {
  await ormOf(db)
    .update(sessions)
    .set({ ...device, network: networkNear(address), lastSeenAt: sql`now()` })
    .where(eq(sessions.id, sessionId));
  await setLanguage(db, { userId, language });
}

/** The language of e-mails to a user. Repeating it changes nothing. */
export async function setLanguage(
  db: Db,
  { userId, language }: { userId: string; language: Language },
): Promise<void> {
  await ormOf(db)
    .update(users)
    .set({ language })
    .where(and(eq(users.id, userId), sql`${users.language} is distinct from ${language}`));
}

/** The user's active sessions, the most recently seen first. */
export async function listOwnSessions(db: Db, userId: string) {
  return await ormOf(db)
    .select({
      id: sessions.id,
      createdAt: sessions.createdAt,
      lastSeenAt: sessions.lastSeenAt,
      browser: sessions.browser,
      system: sessions.system,
      network: sessions.network,
    })
    .from(sessions)
    .where(and(eq(sessions.userId, userId), gt(sessions.expiresAt, sql`now()`)))
    .orderBy(desc(sql`coalesce(${sessions.lastSeenAt}, ${sessions.createdAt})`), desc(sessions.id));
}

/** Ends a session of this user. Throws Refusal if it does not exist, belongs to another user or has ended. */
export async function endOwnSession(
  db: Db,
  { userId, sessionId }: { userId: string; sessionId: string },
): Promise<void> {
  const ended = await ormOf(db)
    .delete(sessions)
    .where(and(eq(sessions.id, sessionId), eq(sessions.userId, userId)))
    .returning({ id: sessions.id });
  if (ended.length === 0) {
    throw new Refusal("this session has already ended", "sessionUnknown");
  }
}
