/** What people who run the gateway do to users. Each change locks the rows that decide whether it may be made. */
import { asc, eq, or } from "drizzle-orm";
import { Refusal } from "@/server/base/refusal";
import { type Db, type Tx, tables, transaction } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { removeLink } from "./links";
import { hashPassword } from "./password";
import { clearTotp } from "./second-factor";
import { endSessionsOf } from "./sessions";
import { entryColumns, type UserEntry, userUnknown } from "./users";

const { users } = tables;

/** `by`: who asks for it; null: a command, which is nobody's session. */
export type UserTarget = { userId: string; by: string | null };

const runsTheGateway = ({ role, status, hasPassword, linkedTo }: UserEntry) =>
  role === "operator" && status === "active" && (hasPassword || linkedTo !== null);

/**
 * The user as they are now, locked with every operator: of two changes at once that would leave none together, the
 * later one sees what the first has done. Operators are locked in the order of their ids. Throws Refusal: whoever
 * takes their own way in away has nobody to ask for it, and who has lost theirs since they asked takes away nobody
 * else's.
 */
async function lockWithOperators(tx: Tx, target: UserTarget) {
  if (target.userId === target.by) {
    throw new Refusal("nobody does this to themselves", "userIsYou");
  }
  const locked = await ormOf(tx)
    .select(entryColumns)
    .from(users)
    .where(or(eq(users.id, target.userId), eq(users.role, "operator")))
    .orderBy(asc(users.id))
    .for("no key update");
  const able = locked.filter(runsTheGateway);
  if (target.by !== null && !able.some(({ id }) => id === target.by)) {
    throw new Refusal("whoever asks for this has no session any more", "signedOut");
  }
  const user = locked.find(({ id }) => id === target.userId);
  if (!user) {
    throw userUnknown(target.userId);
  }
  const isLast = able.every(({ id }) => id === user.id);
  return {
    user,
    /** Throws Refusal where nobody would be left to run the gateway. */
    keepAnOperator: () => {
      if (user.role === "operator" && user.status === "active" && isLast) {
        throw new Refusal("this is the last operator who can sign in", "lastOperator");
      }
    },
  };
}

/**
 * Disabling ends the user's sessions and their link; enabling brings neither back. Answers the user as they were.
 * Throws Refusal.
 */
export async function setUserStatus(
  db: Db,
  change: UserTarget & { status: UserEntry["status"] },
): Promise<UserEntry> {
  return await transaction(db, async (tx) => {
    const { user, keepAnOperator } = await lockWithOperators(tx, change);
    if (change.status === "disabled") {
      keepAnOperator();
      await removeLink(tx, user.id);
      await endSessionsOf(tx, eq(users.id, user.id));
    }
    await ormOf(tx).update(users).set({ status: change.status }).where(eq(users.id, user.id));
    return user;
  });
}

/** Makes a viewer of an operator, or the other way round. Answers the user as they were. Throws Refusal. */
export async function setReadOnly(db: Db, change: UserTarget & { isReadOnly: boolean }): Promise<UserEntry> {
  return await transaction(db, async (tx) => {
    const { user, keepAnOperator } = await lockWithOperators(tx, change);
    if (user.role === "owner") {
      throw new Refusal("an account's user runs no gateway", "userIsOwner");
    }
    if (change.isReadOnly) {
      keepAnOperator();
    }
    const role = change.isReadOnly ? "viewer" : "operator";
    await ormOf(tx).update(users).set({ role }).where(eq(users.id, user.id));
    return user;
  });
}

/** Removes the user with their sessions and their link. What they did stays in the audit log. Throws Refusal. */
export async function removeUser(db: Db, target: UserTarget): Promise<UserEntry> {
  return await transaction(db, async (tx) => {
    const { user, keepAnOperator } = await lockWithOperators(tx, target);
    keepAnOperator();
    await ormOf(tx).delete(users).where(eq(users.id, user.id));
    return user;
  });
}

/**
 * Takes a user's password away, which a link then lets them set anew (`password` null), or puts another one in its
 * place that they must change. Ends every session and the link of before. Answers the user as they were. Throws
 * Refusal. The last operator's, too: a command, which is how a lost password is mended, answers a link.
 */
export async function resetPassword(
  db: Db,
  reset: UserTarget & { password: string | null },
): Promise<UserEntry> {
  const passwordHash = reset.password === null ? null : await hashPassword(reset.password);
  return await transaction(db, async (tx) => {
    const { user } = await lockWithOperators(tx, reset);
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
 * Takes the second factor of somebody else off, who has lost the app and the codes, and ends their sessions. Answers
 * the user as they were. Throws Refusal.
 */
export async function resetTotp(db: Db, target: UserTarget): Promise<UserEntry> {
  return await transaction(db, async (tx) => {
    const { user } = await lockWithOperators(tx, target);
    await clearTotp(tx, user.id);
    return user;
  });
}
