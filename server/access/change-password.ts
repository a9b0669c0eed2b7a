import { and, eq } from "drizzle-orm";
import { type Queryable, tables } from "@/server/db";
import { Refusal } from "@/server/refusal";
import { hashPassword, isPassword, mintPassword } from "./password";
import type { IdentityDeps } from "./proof";
import { endSessions, getIdentity, userUnknown } from "./users";

const { users } = tables;

/**
 * Changes a user's own password and ends every session, the one that asks too. Throws Refusal on a wrong current
 * password and on a new one that will not do, rateLimited after too many wrong ones.
 */
export async function changePassword(
  db: Queryable,
  deps: Pick<IdentityDeps, "attempts">,
  change: { userId: string; current: string; next: string },
): Promise<void> {
  if (change.next === change.current) {
    throw new Refusal("the new password is the current one", "passwordUnchanged");
  }
  const { user, passwordHash } = await getIdentity(db, change.userId);
  const takeBack = await deps.attempts.begin(user);
  if (!(await isPassword(change.current, passwordHash)) || passwordHash === null) {
    throw new Refusal("the current password is wrong", "passwordWrong");
  }
  await takeBack();
  const fresh = await hashPassword(change.next);
  const changed = await db
    .update(users)
    .set({ passwordHash: fresh, ...endSessions })
    // Of two changes at once, the later one's current password is no longer that.
    .where(and(eq(users.id, user.id), eq(users.passwordHash, passwordHash)))
    .returning({ id: users.id });
  if (changed.length === 0) {
    throw new Refusal("the current password is wrong", "passwordWrong");
  }
}

/** For an operator: a new password, which is in the answer and nowhere else. Ends every session. Throws Refusal. */
export async function resetPassword(db: Queryable, userId: string): Promise<string> {
  const password = mintPassword();
  const changed = await db
    .update(users)
    .set({ passwordHash: await hashPassword(password), ...endSessions })
    .where(eq(users.id, userId))
    .returning({ id: users.id });
  if (changed.length === 0) {
    throw userUnknown(userId);
  }
  return password;
}
