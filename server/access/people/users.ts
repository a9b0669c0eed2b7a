import { and, asc, eq, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import type { Language } from "@/server/base/language";
import { type Db, type RowOf, rowOrRefuse, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { Role, Status } from "@/server/domain/enums";
import { type AccountId, newId } from "@/server/domain/ids";
import { parseOrRefuse, Refusal } from "@/server/domain/refusal";
import { rolesOf, sideOf } from "@/server/domain/roles";
import { Email } from "../schema";
import { hashPassword } from "./password";

const { accounts, userIdentities, users } = tables;

export const userColumns = {
  id: users.id,
  email: users.email,
  role: users.role,
  accountId: users.accountId,
  /** Sign-in asks for a code. */
  hasTotp: sql`${isNotNull(users.totpEnabledAt)}`.mapWith(Boolean),
  mustChangePassword: users.mustChangePassword,
};

/** A user who may use the console: neither they nor their account is disabled. */
export type User = RowOf<typeof userColumns>;

export const entryColumns = {
  ...userColumns,
  status: users.status,
  /** In which the user last used the console; null: not known yet. */
  language: users.language,
  /** false: invited, without a password yet. */
  hasPassword: sql`${isNotNull(users.passwordHash)}`.mapWith(Boolean),
  /** The linked provider; null: none. */
  linkedTo: sql<
    string | null
  >`(select ${userIdentities.issuer} from ${userIdentities} where ${userIdentities.userId} = ${users.id})`,
  recoveryCodesLeft: sql`cardinality(${users.recoveryCodes})`.mapWith(Number),
  createdAt: users.createdAt,
};

/** A user in lists, also if disabled. */
export type UserEntry = RowOf<typeof entryColumns>;

export const canonicalEmail = (email: string) => email.trim().toLowerCase();

export const userUnknown = (user: string) => new Refusal(`user "${user}" does not exist`, "userUnknown");

export type NewUser = {
  /** null: a member of the staff, who run the gateway. */
  accountId: AccountId | null;
  email: string;
  /** Default: the role with all permissions there. */
  role?: Role | undefined;
  /** Of e-mails to them, until they use the console in another one. */
  language?: Language | null | undefined;
  /** null: the user sets their own by a link. */
  password: string | null;
  mustChangePassword?: boolean;
};

/**
 * Throws Refusal if the role belongs to the other side: users of an account do not run the gateway, and staff do not
 * belong to an account.
 */
export function checkRole(role: Role, accountId: AccountId | null): Role {
  const side = accountId === null ? "operator" : "owner";
  if (sideOf(role) !== side) {
    throw new Refusal(`the role must be one of ${rolesOf(side).join(", ")}`, "roleElsewhere");
  }
  return role;
}

/** Adds a console user. Throws Refusal if the e-mail address is taken or invalid, or the role does not fit. */
export async function createUser(db: Db, user: NewUser): Promise<UserEntry> {
  const { email } = parseOrRefuse(z.object({ email: Email }), { email: canonicalEmail(user.email) });
  return await rowOrRefuse(
    ormOf(db)
      .insert(users)
      .values({
        id: newId("usr"),
        accountId: user.accountId,
        email,
        language: user.language ?? null,
        passwordHash: user.password === null ? null : await hashPassword(user.password),
        mustChangePassword: user.mustChangePassword ?? false,
        role: checkRole(user.role ?? (user.accountId === null ? "operator" : "owner"), user.accountId),
      })
      .onConflictDoNothing()
      .returning(entryColumns),
    () => new Refusal(`a user ${email} already exists`, "emailTaken"),
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

/** Whether an account has a user: a customer who can sign in. */
export async function hasCustomer(db: Db): Promise<boolean> {
  const rows = await ormOf(db)
    .select({ id: users.id })
    .from(users)
    .where(isNotNull(users.accountId))
    .limit(1);
  return rows.length > 0;
}

/** `accountId`: users of that account; null: staff; absent: all users. */
type UserFilter = { accountId?: AccountId | null | undefined };

function belongingTo({ accountId }: UserFilter): SQL | undefined {
  if (accountId === undefined) {
    return undefined;
  }
  return accountId === null ? isNull(users.accountId) : eq(users.accountId, accountId);
}

/** Oldest first. */
export async function listUsers(db: Db, whose: UserFilter): Promise<UserEntry[]> {
  return await ormOf(db).select(entryColumns).from(users).where(belongingTo(whose)).orderBy(asc(users.id));
}

async function getWhere(db: Db, name: string, condition: SQL | undefined): Promise<UserEntry> {
  return await rowOrRefuse(ormOf(db).select(entryColumns).from(users).where(condition).limit(1), () =>
    userUnknown(name),
  );
}

/** With `accountId`, only a user of that account. Throws Refusal. */
export const getUser = (db: Db, target: UserFilter & { userId: string }): Promise<UserEntry> =>
  getWhere(db, target.userId, and(eq(users.id, target.userId), belongingTo(target)));

/** Throws Refusal. */
export const getUserByEmail = (db: Db, email: string): Promise<UserEntry> =>
  getWhere(db, email, eq(users.email, canonicalEmail(email)));

/** Why a user may not sign in. */
type Bar = "userDisabled" | "accountDisabled";

/**
 * A user with the data that authenticates them. For checks only: it does not leave this room. `bar`: null if they may
 * sign in.
 */
export type Identity = { user: User; passwordHash: string | null; bar: Bar | null };

/** `account`: null for staff, who belong to no account. */
function whyBarred({ own, account }: { own: Status; account: Status | null }): Bar | null {
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
  return { user, passwordHash, bar: whyBarred(status) };
}

/** The user may be disabled; report that only after they have proved who they are. */
export const findIdentityByEmail = (db: Db, email: string): Promise<Identity | null> =>
  findWhere(db, eq(users.email, canonicalEmail(email)));

/** See `findIdentityByEmail`. */
export const findIdentity = (db: Db, userId: string): Promise<Identity | null> =>
  findWhere(db, eq(users.id, userId));

const barWords: Record<Bar, string> = {
  userDisabled: "this user is disabled",
  accountDisabled: "the account of this user is disabled",
};

/** The identity of a user who may sign in. Throws Refusal. */
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
