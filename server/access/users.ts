import { and, asc, eq, isNotNull, isNull, or, type SQL, sql } from "drizzle-orm";
import { type Queryable, tables } from "@/server/db";
import { newId } from "@/server/ids";
import { Refusal } from "@/server/refusal";
import { hashPassword } from "./password";

const { accounts, users } = tables;

/** Someone who may use the console: an operator, or the owner of an account that is not disabled. */
export type User = {
  id: string;
  email: string;
  role: "owner" | "operator";
  /** null for an operator. */
  accountId: string | null;
  sessionVersion: number;
  /** Asked for a code at sign-in. */
  hasTotp: boolean;
};

/** A user as lists show them; those of disabled accounts too. */
export type UserEntry = Omit<User, "sessionVersion"> & { recoveryCodesLeft: number; createdAt: Date };

const shared = {
  id: users.id,
  email: users.email,
  role: users.role,
  accountId: users.accountId,
  hasTotp: sql<boolean>`${isNotNull(users.totpEnabledAt)}`,
};

const entryColumns = {
  ...shared,
  recoveryCodesLeft: sql<number>`cardinality(${users.recoveryCodes})`,
  createdAt: users.createdAt,
};

const canonicalEmail = (email: string) => email.trim().toLowerCase();

export const userUnknown = (userId: string) => new Refusal(`there is no user "${userId}"`, "userUnknown");

/** Adds a console user. `accountId` null makes an operator. Throws Refusal on an e-mail that is taken. */
export async function createUser(
  db: Queryable,
  user: { accountId: string | null; email: string; password: string },
): Promise<UserEntry> {
  const [row] = await db
    .insert(users)
    .values({
      id: newId("usr"),
      accountId: user.accountId,
      email: canonicalEmail(user.email),
      passwordHash: await hashPassword(user.password),
      role: user.accountId === null ? "operator" : "owner",
    })
    .onConflictDoNothing()
    .returning(entryColumns);
  if (!row) {
    throw new Refusal(`a user ${user.email} exists already`, "emailTaken");
  }
  return row;
}

export async function hasOperator(db: Queryable): Promise<boolean> {
  const rows = await db.select({ id: users.id }).from(users).where(eq(users.role, "operator")).limit(1);
  return rows.length > 0;
}

const ofAccount = (accountId: string | undefined) =>
  accountId === undefined ? undefined : eq(users.accountId, accountId);

/** Every user, or an account's; oldest first. */
export async function listUsers(
  db: Queryable,
  filter: { accountId?: string | undefined },
): Promise<UserEntry[]> {
  return await db.select(entryColumns).from(users).where(ofAccount(filter.accountId)).orderBy(asc(users.id));
}

/** With `accountId`, of that account only. Throws Refusal. */
export async function getUser(
  db: Queryable,
  target: { userId: string; accountId?: string | undefined },
): Promise<UserEntry> {
  const [row] = await db
    .select(entryColumns)
    .from(users)
    .where(and(eq(users.id, target.userId), ofAccount(target.accountId)))
    .limit(1);
  if (!row) {
    throw userUnknown(target.userId);
  }
  return row;
}

/** Ends every session of a user, the one that asks for it too. Throws Refusal. */
export async function signOutEverywhere(db: Queryable, userId: string): Promise<void> {
  const ended = await db
    .update(users)
    .set(endSessions)
    .where(eq(users.id, userId))
    .returning({ id: users.id });
  if (ended.length === 0) {
    throw userUnknown(userId);
  }
}

/** Part of every update that ends the user's sessions. */
export const endSessions = { sessionVersion: sql`${users.sessionVersion} + 1` };

/** What a user can be recognised by. For the checks only: it does not leave this room. */
type Identity = { user: User; passwordHash: string | null };

async function findActive(db: Queryable, condition: SQL | undefined): Promise<Identity | null> {
  const [row] = await db
    .select({ ...shared, sessionVersion: users.sessionVersion, passwordHash: users.passwordHash })
    .from(users)
    .leftJoin(accounts, eq(accounts.id, users.accountId))
    .where(and(condition, or(isNull(users.accountId), eq(accounts.status, "active"))))
    .limit(1);
  if (!row) {
    return null;
  }
  const { passwordHash, ...user } = row;
  return { user, passwordHash };
}

/** The user of a session; null once the session's version is not the user's any more, or the account is disabled. */
export async function findSessionUser(
  db: Queryable,
  session: { userId: string; sessionVersion: number },
): Promise<User | null> {
  const isCurrent = and(eq(users.id, session.userId), eq(users.sessionVersion, session.sessionVersion));
  return (await findActive(db, isCurrent))?.user ?? null;
}

export const findIdentityByEmail = (db: Queryable, email: string): Promise<Identity | null> =>
  findActive(db, eq(users.email, canonicalEmail(email)));

/** Throws Refusal when there is no such user, or their account is disabled. */
export async function getIdentity(db: Queryable, userId: string): Promise<Identity> {
  const identity = await findActive(db, eq(users.id, userId));
  if (!identity) {
    throw userUnknown(userId);
  }
  return identity;
}
