import { and, asc, eq, gt, inArray, isNotNull, isNull, lte, or, type SQL, sql } from "drizzle-orm";
import { type Db, type Tx, tables, transaction } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { newId } from "@/server/domain/ids";
import { type Identity, type User, userColumns, userUnknown } from "./users";

const { accounts, sessions, users } = tables;

/** How long a user stays signed in. */
export const SESSION_SECONDS = 7 * 24 * 60 * 60;

/** A signed-in user with their session. */
export type SessionUser = User & { sessionId: string };

/**
 * Whether a user who was just recognised may still sign in, with `stillTrue` as an additional condition. It locks the
 * deciding rows: a change of them commits before and is seen here, or after, and then ends the new session.
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

/** `provedAt`: when the user last proved who they are, if that may serve as a proof later; otherwise null. */
export async function startSession(tx: Tx, user: User, provedAt: Date | null): Promise<SessionUser> {
  const sessionId = newId("ses");
  const expiresAt = sql`now() + ${SESSION_SECONDS} * interval '1 second'`;
  await ormOf(tx).insert(sessions).values({ id: sessionId, userId: user.id, expiresAt, provedAt });
  return { ...user, sessionId };
}

/** Opens a session for a user whose password was just checked. null if it has changed since. */
export async function openSession(db: Db, { user, passwordHash }: Identity): Promise<SessionUser | null> {
  return await transaction(db, async (tx) => {
    const isSame = and(
      eq(users.passwordHash, passwordHash ?? ""),
      // A second factor that was turned on meanwhile has not been checked.
      user.hasTotp ? isNotNull(users.totpEnabledAt) : isNull(users.totpEnabledAt),
    );
    return (await mayStillEnter(tx, user, isSame)) ? await startSession(tx, user, null) : null;
  });
}

/** How old a user's proof of identity may be. */
const PROOF_SECONDS = 5 * 60;

/** Whether it is the user's session, with a recent proof of identity. */
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

/** Records a proof of identity in this session. */
export async function markProved(db: Db, session: { id: string; userId: string }): Promise<void> {
  await ormOf(db)
    .update(sessions)
    .set({ provedAt: sql`now()` })
    .where(and(eq(sessions.id, session.id), eq(sessions.userId, session.userId)));
}

/** A session with its user, the name of their account if they have one, and its last-seen time. */
type FoundSession = { user: SessionUser; accountName: string | null; lastSeenAt: Date | null };

/** null if the session was ended or has expired, or if its user or their account is disabled. */
export async function findSession(db: Db, sessionId: string): Promise<FoundSession | null> {
  const [row] = await ormOf(db)
    .select({ user: userColumns, accountName: accounts.name, lastSeenAt: sessions.lastSeenAt })
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
  return row ? { ...row, user: { ...row.user, sessionId } } : null;
}

/** The user of a session; null as in `findSession`. */
export const findSessionUser = async (db: Db, sessionId: string): Promise<SessionUser | null> =>
  (await findSession(db, sessionId))?.user ?? null;

/** Ends one session. Repeating it changes nothing. */
export async function endSession(db: Db, sessionId: string): Promise<void> {
  await ormOf(db).delete(sessions).where(eq(sessions.id, sessionId));
}

/** Ends every session of the matching users, and returns the number of users. `mayStillEnter` explains the lock. */
export async function endSessionsOf(db: Db, whose: SQL): Promise<number> {
  return await transaction(db, async (tx) => {
    const rows = await ormOf(tx)
      .select({ id: users.id })
      .from(users)
      .where(whose)
      .orderBy(asc(users.id))
      .for("no key update");
    const ids = rows.map(({ id }) => id);
    await ormOf(tx).delete(sessions).where(inArray(sessions.userId, ids));
    return ids.length;
  });
}

/** Ends every session of a user, including the present one. Throws Refusal. */
export async function signOutEverywhere(db: Db, userId: string): Promise<void> {
  if ((await endSessionsOf(db, eq(users.id, userId))) === 0) {
    throw userUnknown(userId);
  }
}

/** Deletes expired sessions. */
export async function removeOldSessions(db: Db): Promise<void> {
  await ormOf(db).delete(sessions).where(lte(sessions.expiresAt, sql`now()`));
}
