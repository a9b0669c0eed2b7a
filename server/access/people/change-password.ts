import { and, eq } from "drizzle-orm";
import { type Db, tables, transaction } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { Refusal } from "@/server/domain/refusal";
import { removeLink } from "./links";
import { hashPassword, isPassword } from "./password";
import type { IdentityDeps } from "./reauthentication";
import { endSessionsOf } from "./sessions";
import { getIdentity } from "./users";

const { users } = tables;

/**
 * Changes a user's own password and ends every session, including the present one. Throws Refusal if the current
 * password is wrong or the new one is not acceptable, rateLimited after too many wrong ones.
 */
export async function changePassword(
  db: Db,
  deps: Pick<IdentityDeps, "attempts">,
  change: { userId: string; current: string; next: string },
): Promise<void> {
  if (change.next === change.current) {
    throw new Refusal("the new password is the same as the current one", "passwordUnchanged");
  }
  const { user, passwordHash } = await getIdentity(db, change.userId);
  const takeBack = await deps.attempts.begin(user);
  if (!(await isPassword(change.current, passwordHash)) || passwordHash === null) {
    throw new Refusal("the current password is wrong", "passwordWrong");
  }
  await takeBack();
  const fresh = await hashPassword(change.next);
  await transaction(db, async (tx) => {
    const changed = await ormOf(tx)
      .update(users)
      .set({ passwordHash: fresh, mustChangePassword: false })
      // If two changes run at once, the later one's current password is outdated.
      .where(and(eq(users.id, user.id), eq(users.passwordHash, passwordHash)))
      .returning({ id: users.id });
    if (changed.length === 0) {
      throw new Refusal("the current password is wrong", "passwordWrong");
    }
    await removeLink(tx, user.id);
    await endSessionsOf(tx, eq(users.id, user.id));
  });
}
