/** What people who run the gateway do to users. Each change locks the rows that decide whether it may be made. */
import { asc, eq, or } from "drizzle-orm";
import { type Queryable, tables } from "@/server/db";
import { Refusal } from "@/server/refusal";
import { removeLink } from "./links";
import { endSessionsOf } from "./sessions";
import { entryColumns, type UserEntry, userUnknown } from "./users";

const { users } = tables;

/** `by`: who asks for it; null: a command, which is nobody's session. */
export type UserTarget = { userId: string; by: string | null };

/** Throws Refusal: whoever takes their own way in away has nobody to ask for it. */
export function refuseSelf({ userId, by }: UserTarget): void {
  if (userId === by) {
    throw new Refusal("nobody does this to themselves", "userIsYou");
  }
}

/**
 * The user as they are now, locked with every operator: of two changes at once that would leave none together, the later
 * one sees what the first has done. Operators are locked in the order of their ids.
 */
async function lockWithOperators(transaction: Queryable, target: UserTarget) {
  refuseSelf(target);
  const locked = await transaction
    .select(entryColumns)
    .from(users)
    .where(or(eq(users.id, target.userId), eq(users.role, "operator")))
    .orderBy(asc(users.id))
    .for("no key update");
  const user = locked.find(({ id }) => id === target.userId);
  if (!user) {
    throw userUnknown(target.userId);
  }
  const isLast = !locked.some(
    ({ id, role, status, hasPassword }) =>
      id !== user.id && role === "operator" && status === "active" && hasPassword,
  );
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
 * Disabling ends the user's sessions and their link; enabling brings neither back. Answers the user as they were. Throws
 * Refusal.
 */
export async function setUserStatus(
  db: Queryable,
  change: UserTarget & { status: UserEntry["status"] },
): Promise<UserEntry> {
  return await db.transaction(async (transaction) => {
    const { user, keepAnOperator } = await lockWithOperators(transaction, change);
    if (change.status === "disabled") {
      keepAnOperator();
      await removeLink(transaction, user.id);
      await endSessionsOf(transaction, eq(users.id, user.id));
    }
    await transaction.update(users).set({ status: change.status }).where(eq(users.id, user.id));
    return user;
  });
}

/** Makes a viewer of an operator, or the other way round. Answers the user as they were. Throws Refusal. */
export async function setReadOnly(
  db: Queryable,
  change: UserTarget & { isReadOnly: boolean },
): Promise<UserEntry> {
  return await db.transaction(async (transaction) => {
    const { user, keepAnOperator } = await lockWithOperators(transaction, change);
    if (user.role === "owner") {
      throw new Refusal("an account's user runs no gateway", "userIsOwner");
    }
    if (change.isReadOnly) {
      keepAnOperator();
    }
    const role = change.isReadOnly ? "viewer" : "operator";
    await transaction.update(users).set({ role }).where(eq(users.id, user.id));
    return user;
  });
}

/** Removes the user with their sessions and their link. What they did stays in the audit log. Throws Refusal. */
export async function removeUser(db: Queryable, target: UserTarget): Promise<UserEntry> {
  return await db.transaction(async (transaction) => {
    const { user, keepAnOperator } = await lockWithOperators(transaction, target);
    keepAnOperator();
    await transaction.delete(users).where(eq(users.id, user.id));
    return user;
  });
}
