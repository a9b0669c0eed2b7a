import { and, asc, eq, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import type { Role, Status } from "@/server/base/facts";
import { type AccountId, newId } from "@/server/base/ids";
import { parseOrRefuse, Refusal } from "@/server/base/refusal";
import { rolesOf, sideOf } from "@/server/base/roles";
import { type Db, type RowOf, rowOrRefuse, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { hashPassword } from "./password";
import { Email } from "./schema";

const { accounts, userIdentities, users } = tables;

export const userColumns = {
  id: users.id,
  email: users.email,
  role: users.role,
  accountId: users.accountId,
  /** Asked for a code at sign-in. */
  hasTotp: sql`${isNotNull(users.totpEnabledAt)}`.mapWith(Boolean),
  mustChangePassword: users.mustChangePassword,
};

/** Someone who may use the console: neither they nor their account is disabled. */
export type User = RowOf<typeof userColumns>;

export const entryColumns = {
  ...userColumns,
  status: users.status,
  /** false: invited, and has not set one yet. */
  hasPassword: sql`${isNotNull(users.passwordHash)}`.mapWith(Boolean),
  /** The provider that they come in by; null: none. */
  linkedTo: sql<
    string | null
  >`(select ${userIdentities.issuer} from ${userIdentities} where ${userIdentities.userId} = ${users.id})`,
  recoveryCodesLeft: sql`cardinality(${users.recoveryCodes})`.mapWith(Number),
  createdAt: users.createdAt,
};

/** A user as lists show them; disabled ones too. */
export type UserEntry = RowOf<typeof entryColumns>;

const canonicalEmail = (email: string) => email.trim().toLowerCase();

export const userUnknown = (user: string) => new Refusal(`there is no user "${user}"`, "userUnknown");

export type NewUser = {
  /** null makes somebody who runs the gateway. */
  accountId: AccountId | null;
  email: string;
  /** Absent: the one that may do everything there. */
  role?: Role | undefined;
  /** null: they set their own by a link. */
  password: string | null;
  mustChangePassword?: boolean;
};

/** Throws Refusal for a role that nobody has there: people of an account run no gateway, and the other way round. */
export function checkRole(role: Role, accountId: AccountId | null): Role {
  const side = accountId === null ? "operator" : "owner";
  if (sideOf(role) !== side) {
    throw new Refusal(`the role here is one of ${rolesOf(side).join(", ")}`, "roleElsewhere");
  }
  return role;
}

/** Adds a console user. Throws Refusal on an e-mail that is taken or that is none, and on a role that is not for them. */
export async function createUser(db: Db, user: NewUser): Promise<UserEntry> {
  const { email } = parseOrRefuse(z.object({ email: Email }), { email: canonicalEmail(user.email) });
  return await rowOrRefuse(
    ormOf(db)
      .insert(users)
      .values({
        id: newId("usr"),
        accountId: user.accountId,
        email,
        passwordHash: user.password === null ? null : await hashPassword(user.password),
        mustChangePassword: user.mustChangePassword ?? false,
        role: checkRole(user.role ?? (user.accountId === null ? "operator" : "owner"), user.accountId),
      })
      .onConflictDoNothing()
      .returning(entryColumns),
    () => new Refusal(`a user ${email} exists already`, "emailTaken"),
  );
}

export async function hasOperator(db: Db): Promise<boolean> {
  const rows = await ormOf(db)
    .select({ id: users.id })
    .from(users)
    .where(eq(users.role, "operator"))
    .limit(1);
  return rows.length > 0;
}

/** `accountId`: an account's; null: those who run the gateway; absent: everybody. */
type Whose = { accountId?: AccountId | null | undefined };

function belongingTo({ accountId }: Whose): SQL | undefined {
  if (accountId === undefined) {
    return undefined;
  }
  return accountId === null ? isNull(users.accountId) : eq(users.accountId, accountId);
}

/** Oldest first. */
export async function listUsers(db: Db, whose: Whose): Promise<UserEntry[]> {
  return await ormOf(db).select(entryColumns).from(users).where(belongingTo(whose)).orderBy(asc(users.id));
}

async function getWhere(db: Db, name: string, condition: SQL | undefined): Promise<UserEntry> {
  return await rowOrRefuse(ormOf(db).select(entryColumns).from(users).where(condition).limit(1), () =>
    userUnknown(name),
  );
}

/** With `accountId`, of that account only. Throws Refusal. */
export const getUser = (db: Db, target: Whose & { userId: string }): Promise<UserEntry> =>
  getWhere(db, target.userId, and(eq(users.id, target.userId), belongingTo(target)));

/** Throws Refusal. */
export const getUserByEmail = (db: Db, email: string): Promise<UserEntry> =>
  getWhere(db, email, eq(users.email, canonicalEmail(email)));

/** Why somebody may not sign in. */
type Bar = "userDisabled" | "accountDisabled";

/**
 * What a user can be recognised by. For the checks only: it does not leave this room. `bar`: null when they may sign
 * in.
 */
export type Identity = { user: User; passwordHash: string | null; bar: Bar | null };

/** `account`: null for those who belong to none. */
function barOf({ own, account }: { own: Status; account: Status | null }): Bar | null {
  if (own !== "active") {
    return "userDisabled";
  }
  return account === null || account === "active" ? null : "accountDisabled";
}

async function findWhere(db: Db, condition: SQL): Promise<Identity | null> {
  const [row] = await ormOf(db)
    .select({
      user: userColumns,
      passwordHash: users.passwordHash,
      status: { own: users.status, account: accounts.status },
    })
    .from(users)
    .leftJoin(accounts, eq(accounts.id, users.accountId))
    .where(condition)
    .limit(1);
  if (!row) {
    return null;
  }
  const { user, passwordHash, status } = row;
  return { user, passwordHash, bar: barOf(status) };
}

/** Of somebody who may be barred: to be told so only who has shown that it is them. */
export const findIdentityByEmail = (db: Db, email: string): Promise<Identity | null> =>
  findWhere(db, eq(users.email, canonicalEmail(email)));

/** As `findIdentityByEmail`. */
export const findIdentity = (db: Db, userId: string): Promise<Identity | null> =>
  findWhere(db, eq(users.id, userId));

const barWords: Record<Bar, string> = {
  userDisabled: "this user is disabled",
  accountDisabled: "the account of this user is disabled",
};

/** Of somebody who may sign in. Throws Refusal. */
export async function getIdentity(db: Db, userId: string): Promise<Identity> {
  const identity = await findIdentity(db, userId);
  if (!identity) {
    throw userUnknown(userId);
  }
  if (identity.bar !== null) {
    throw new Refusal(barWords[identity.bar], identity.bar);
  }
  return identity;
}
