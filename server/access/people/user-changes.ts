/** Changes of other users by users with permission. Each change locks the rows that decide whether it is permitted. */
import { and, asc, eq, inArray, or } from "drizzle-orm";
import { type Db, type Tx, tables, transaction } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { Permission, Role } from "@/server/domain/enums";
import type { AccountId } from "@/server/domain/ids";
import { Refusal } from "@/server/domain/refusal";
import { may } from "@/server/domain/roles";
import { removeLink } from "./links";
import { hashPassword } from "./password";
import { type ProviderIdentity, unlinkIdentity } from "./provider-identities";
import { clearTotp } from "./second-factor";
import { endSessionsOf, signOutEverywhere } from "./sessions";
import { checkRole, entryColumns, getUser, listUsers, type UserEntry, userUnknown } from "./users";

const { users } = tables;

/** `by`: the acting user; null: a command without a session. `accountId`: the user must belong to that account. */
export type UserTarget = { userId: string; accountId?: AccountId | undefined; by: string | null };

const canSignIn = ({ status, hasPassword, linkedTo }: UserEntry) =>
  status === "active" && (hasPassword || linkedTo !== null);

const isAnother = (user: UserEntry) => (other: UserEntry) => other.id !== user.id;

/**
 * Re-checks the actor inside the transaction. Throws Refusal if the actor can no longer sign in or lacks the role. An
 * account's user changes only users of that account. Only an admin changes staff, because a password link for them is a
 * way in.
 */
function checkAsker(asker: UserEntry | undefined, user: UserEntry, needs: Permission): void {
  if (!asker || !canSignIn(asker) || !may(asker.role, needs)) {
    throw new Refusal("your session has ended", "signedOut");
  }
  if (asker.accountId !== null && asker.accountId !== user.accountId) {
    throw userUnknown(user.id);
  }
  if (user.accountId === null && !may(asker.role, "people.write")) {
    throw new Refusal("only an admin can change operators", "userIsStaff");
  }
}

/**
 * Returns the user, and locks them with the actor, every operator and every owner of the user's account: if two changes
 * at once would leave no operator or owner, the later one sees the first. Rows are locked in id order. Throws Refusal,
 * also if actors would lock themselves out.
 */
async function lockPeople(tx: Tx, target: UserTarget, needs: Permission) {
  if (target.userId === target.by) {
    throw new Refusal("you cannot do this to yourself", "userIsYou");
  }
  const orm = ormOf(tx);
  const accountOf = orm.select({ id: users.accountId }).from(users).where(eq(users.id, target.userId));
  const locked = await orm
    .select(entryColumns)
    .from(users)
    .where(
      or(
        inArray(users.id, [target.userId, ...(target.by === null ? [] : [target.by])]),
        eq(users.role, "operator"),
        and(eq(users.role, "owner"), inArray(users.accountId, accountOf)),
      ),
    )
    .orderBy(asc(users.id))
    .for("no key update");
  const user = locked.find(({ id }) => id === target.userId);
  const asker = locked.find(({ id }) => id === target.by);
  if (target.by !== null && user) {
    checkAsker(asker, user, needs);
  }
  if (!user || (target.accountId !== undefined && target.accountId !== user.accountId)) {
    throw userUnknown(target.userId);
  }
  const others = locked.filter(isAnother(user)).filter(({ role }) => role === user.role);
  return {
    user,
    /** Throws Refusal if the actor could use the link to sign in as the owner of a customer's account. */
    keepOwnersOut: () => {
      if (user.role === "owner" && asker && !may(asker.role, "people.write")) {
        throw new Refusal("only an admin can create a link for an account's owner", "userIsOwner");
      }
    },
    /** Throws Refusal if no operator who can sign in would be left. */
    keepAnOperator: () => {
      if (user.role === "operator" && user.status === "active" && !others.some(canSignIn)) {
        throw new Refusal("this is the last operator who can sign in", "lastOperator");
      }
    },
    /** Throws Refusal if an account would have users but no owner. */
    keepAnOwner: (left: readonly UserEntry[]) => {
      const isOwned = others.some(
        ({ accountId, status }) => accountId === user.accountId && status === "active",
      );
      if (user.role === "owner" && !isOwned && left.length > 0) {
        throw new Refusal("this is the account's last owner: make someone else an owner first", "lastOwner");
      }
    },
  };
}

/**
 * Disabling ends the user's sessions and their link; enabling restores neither. Returns the user before the change.
 * Throws Refusal.
 */
export async function setUserStatus(
  db: Db,
  change: UserTarget & { status: UserEntry["status"] },
): Promise<UserEntry> {
  return await transaction(db, async (tx) => {
    const { user, keepAnOperator } = await lockPeople(tx, change, "people.write");
    if (change.status === "disabled") {
      keepAnOperator();
      await removeLink(tx, user.id);
      await endSessionsOf(tx, eq(users.id, user.id));
    }
    await ormOf(tx).update(users).set({ status: change.status }).where(eq(users.id, user.id));
    return user;
  });
}

/** Applies from the next request of an open session. Returns the user before the change. Throws Refusal. */
export async function setRole(db: Db, change: UserTarget & { role: Role }): Promise<UserEntry> {
  return await transaction(db, async (tx) => {
    const { user, keepAnOperator, keepAnOwner } = await lockPeople(tx, change, "people.write");
    const role = checkRole(change.role, user.accountId);
    if (role !== user.role) {
      keepAnOperator();
      keepAnOwner([user]);
      await ormOf(tx).update(users).set({ role }).where(eq(users.id, user.id));
    }
    return user;
  });
}

/** Deletes the user with their sessions and their link. Their actions stay in the audit log. Throws Refusal. */
export async function removeUser(db: Db, target: UserTarget): Promise<UserEntry> {
  return await transaction(db, async (tx) => {
    const { user, keepAnOperator, keepAnOwner } = await lockPeople(tx, target, "people.write");
    keepAnOperator();
    if (user.role === "owner") {
      const people = await listUsers(tx, { accountId: user.accountId });
      keepAnOwner(people.filter(isAnother(user)));
    }
    await ormOf(tx).delete(users).where(eq(users.id, user.id));
    return user;
  });
}

/**
 * Removes a user's password, so that they set a new one by a link (`password` null), or replaces it by one that they
 * must change. Ends every session and the previous link. Returns the user before the change. Throws Refusal. It also
 * works for the last operator: a command, the remedy for a lost password, then prints a link.
 */
export async function resetPassword(
  db: Db,
  reset: UserTarget & { password: string | null },
): Promise<UserEntry> {
  const passwordHash = reset.password === null ? null : await hashPassword(reset.password);
  return await transaction(db, async (tx) => {
    const { user, keepOwnersOut } = await lockPeople(tx, reset, "people.reset");
    keepOwnersOut();
    await ormOf(tx)
      .update(users)
      .set({ passwordHash, mustChangePassword: reset.password !== null })
      .where(eq(users.id, user.id));
    await removeLink(tx, user.id);
    await endSessionsOf(tx, eq(users.id, user.id));
    return user;
  });
}

/**
 * Removes another user's second factor if they lost the app and the codes, and ends their sessions. Returns the user
 * before the change. Throws Refusal.
 */
export async function resetTotp(db: Db, target: UserTarget): Promise<UserEntry> {
  return await transaction(db, async (tx) => {
    const { user } = await lockPeople(tx, target, "people.write");
    await clearTotp(tx, user.id);
    return user;
  });
}

/**
 * Removes another user's link to the provider, if their identity there has changed or they may no longer use it.
 * Returns the user before the change, and the removed identity. Throws Refusal.
 */
export async function unlinkUser(
  db: Db,
  target: UserTarget,
): Promise<{ user: UserEntry; identity: ProviderIdentity }> {
  return await transaction(db, async (tx) => {
    const { user } = await lockPeople(tx, target, "people.write");
    return { user, identity: await unlinkIdentity(tx, user.id) };
  });
}

/** Ends a user's sessions; users may also end their own. Returns the user. Throws Refusal. */
export async function signOutUser(db: Db, target: UserTarget): Promise<UserEntry> {
  return await transaction(db, async (tx) => {
    const isSelf = target.userId === target.by;
    const user = isSelf ? await getUser(tx, target) : (await lockPeople(tx, target, "people.reset")).user;
    await signOutEverywhere(tx, user.id);
    return user;
  });
}
