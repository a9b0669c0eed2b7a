import { and, asc, eq, gt, inArray, isNotNull, isNull, lte, or, type SQL, sql } from "drizzle-orm";
import { newId } from "@/server/base/ids";
import { type Db, type Tx, tables, transaction } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { type Identity, type User, userColumns, userUnknown } from "./users";

const { accounts, sessions, users } = tables;

/** How long somebody stays signed in. */
export const SESSION_SECONDS = 7 * 24 * 60 * 60;

/** Somebody who is signed in, by the session that says so. */
export type SessionUser = User & { sessionId: string };

/**
 * Whether somebody who was just recognised may still come in, as far as `stillTrue` says: the rows that decide are
 * locked, so that a change of them comes before, and is seen here, or after, and ends the session that is opened now.
 */
export async function mayStillEnter(tx: Tx, { id, accountId }: User, stillTrue?: SQL): Promise<boolean> {
  if (accountId !== null) {
    const [account] = await ormOf(tx)
      .select({ id: accounts.id })
      .from(accounts)
      .where(and(eq(accounts.id, accountId), eq(accounts.status, "active")))
      .for("share");
    if (!account) {
      return false;
    }
  }
  const [same] = await ormOf(tx)
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, id), eq(users.status, "active"), stillTrue))
    .for("share");
  return same !== undefined;
}

/** `provedAt`: when they last showed who they are, as far as that may stand for a proof later. */
export async function startSession(tx: Tx, user: User, provedAt: Date | null): Promise<SessionUser> {
  const sessionId = newId("ses");
  const expiresAt = sql`now() + ${SESSION_SECONDS} * interval '1 second'`;
  await ormOf(tx).insert(sessions).values({ id: sessionId, userId: user.id, expiresAt, provedAt });
  return { ...user, sessionId };
}

/** Opens a session for somebody whose password was just found right. null when that is not so any more. */
export async function openSession(db: Db, { user, passwordHash }: Identity): Promise<SessionUser | null> {
  return await transaction(db, async (tx) => {
    const isSame = and(
      eq(users.passwordHash, passwordHash ?? ""),
      // A second factor that was turned on meanwhile has not been asked for.
      user.hasTotp ? isNotNull(users.totpEnabledAt) : isNull(users.totpEnabledAt),
    );
    return (await mayStillEnter(tx, user, isSame)) ? await startSession(tx, user, null) : null;
  });
}

/** How long ago somebody may have shown who they are, where that stands for a proof. */
const PROOF_SECONDS = 5 * 60;

/** Whether it is a session of theirs in which they showed who they are a moment ago. */
export async function isJustProved(db: Db, session: { id: string; userId: string }): Promise<boolean> {
  const [proved] = await ormOf(db)
    .select({ id: sessions.id })
    .from(sessions)
    .where(
      and(
        eq(sessions.id, session.id),
        eq(sessions.userId, session.userId),
        gt(sessions.expiresAt, sql`now()`),
        gt(sessions.provedAt, sql`now() - ${PROOF_SECONDS} * interval '1 second'`),
      ),
    );
  return proved !== undefined;
}

/** Somebody has shown who they are in this session. */
export async function markProved(db: Db, session: { id: string; userId: string }): Promise<void> {
  await ormOf(db)
    .update(sessions)
    .set({ provedAt: sql`now()` })
    .where(and(eq(sessions.id, session.id), eq(sessions.userId, session.userId)));
}

/** A session, whose it is, and when it was seen last. */
type FoundSession = { user: SessionUser; lastSeenAt: Date | null };

/** null once it was ended or is too old, or its user or their account is disabled. */
export async function findSession(db: Db, sessionId: string): Promise<FoundSession | null> {
  const [found] = await ormOf(db)
    .select({ user: userColumns, lastSeenAt: sessions.lastSeenAt })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .leftJoin(accounts, eq(accounts.id, users.accountId))
    .where(
      and(
        eq(sessions.id, sessionId),
        gt(sessions.expiresAt, sql`now()`),
        eq(users.status, "active"),
        or(isNull(users.accountId), eq(accounts.status, "active")),
      ),
    )
    .limit(1);
  return found ? { ...found, user: { ...found.user, sessionId } } : null;
}

/** Whose session it is; null where there is none, as `findSession` says. */
export const findSessionUser = async (db: Db, sessionId: string): Promise<SessionUser | null> =>
  (await findSession(db, sessionId))?.user ?? null;

/** Ends one session. Twice changes nothing. */
export async function endSession(db: Db, sessionId: string): Promise<void> {
  await ormOf(db).delete(sessions).where(eq(sessions.id, sessionId));
}

/**
 * Ends every session of the users that match, and answers how many users those are. See `openSession` for the lock.
 */
export async function endSessionsOf(db: Db, whose: SQL): Promise<number> {
  return await transaction(db, async (tx) => {
    const found = await ormOf(tx)
      .select({ id: users.id })
      .from(users)
      .where(whose)
      .orderBy(asc(users.id))
      .for("no key update");
    const ids = found.map(({ id }) => id);
    await ormOf(tx).delete(sessions).where(inArray(sessions.userId, ids));
    return ids.length;
  });
}

/** Ends every session of a user, the one that asks for it too. Throws Refusal. */
export async function signOutEverywhere(db: Db, userId: string): Promise<void> {
  if ((await endSessionsOf(db, eq(users.id, userId))) === 0) {
    throw userUnknown(userId);
  }
}

/** Removes the rows of sessions that are too old. */
export async function removeOldSessions(db: Db): Promise<void> {
  await ormOf(db).delete(sessions).where(lte(sessions.expiresAt, sql`now()`));
}
