import { hash } from "@node-rs/argon2";
import { and, eq, isNull, or, type SQL } from "drizzle-orm";
import { type Queryable, tables } from "@/server/db";
import { newId } from "@/server/ids";
import { Refusal } from "@/server/refusal";

const { accounts, users } = tables;

const MIN_PASSWORD_CHARACTERS = 10;

/** Someone who may use the console: an operator, or the owner of an account that is not disabled. */
export type User = {
  id: string;
  email: string;
  role: "owner" | "operator";
  /** null for an operator. */
  accountId: string | null;
  sessionVersion: number;
};

const canonicalEmail = (email: string) => email.trim().toLowerCase();

/** Adds a console user. `accountId` null makes an operator. Fails on an e-mail that is taken. */
export async function createUser(
  db: Queryable,
  user: { accountId: string | null; email: string; password: string },
): Promise<void> {
  if (user.password.length < MIN_PASSWORD_CHARACTERS) {
    throw new Refusal(`a password has at least ${MIN_PASSWORD_CHARACTERS} characters`);
  }
  const inserted = await db
    .insert(users)
    .values({
      id: newId("usr"),
      accountId: user.accountId,
      email: canonicalEmail(user.email),
      passwordHash: await hash(user.password),
      role: user.accountId === null ? "operator" : "owner",
    })
    .onConflictDoNothing()
    .returning({ id: users.id });
  if (inserted.length === 0) {
    throw new Refusal(`a user ${user.email} exists already`);
  }
}

export async function hasOperator(db: Queryable): Promise<boolean> {
  const rows = await db.select({ id: users.id }).from(users).where(eq(users.role, "operator")).limit(1);
  return rows.length > 0;
}

async function findActive(db: Queryable, condition: SQL | undefined) {
  const [row] = await db
    .select({
      id: users.id,
      email: users.email,
      role: users.role,
      accountId: users.accountId,
      sessionVersion: users.sessionVersion,
      passwordHash: users.passwordHash,
    })
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

/** For the check of a password only: the hash does not leave this room. */
export function findUserByEmail(
  db: Queryable,
  email: string,
): Promise<{ user: User; passwordHash: string } | null> {
  return findActive(db, eq(users.email, canonicalEmail(email)));
}
