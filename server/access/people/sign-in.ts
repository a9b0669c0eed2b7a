import type { Db } from "@/server/db";
import { isPassword } from "./password";
import { type IdentityDeps, takeCode } from "./reauthentication";
import { openSession, type SessionUser } from "./sessions";
import { findIdentityByEmail } from "./users";

/** `code`: from the authenticator, or a recovery code; null or empty: none. */
type SignInAttempt = { email: string; password: string; code?: string | null; address: string | null };

/**
 * Only the right password gets an answer other than `refused`, and only a complete sign-in learns that the user or
 * their account is disabled.
 */
export type SignInResult =
  | { outcome: "signed_in"; user: SessionUser }
  | { outcome: "refused" | "code_required" | "code_wrong" | "disabled" };

/**
 * Checks a password, and a code if the user has a second factor, and opens a session. Throws rateLimited after too many
 * failures.
 */
export async function signIn(db: Db, deps: IdentityDeps, attempt: SignInAttempt): Promise<SignInResult> {
  const takeBack = await deps.attempts.begin(attempt);
  const identity = await findIdentityByEmail(db, attempt.email);
  const isRight = await isPassword(attempt.password, identity?.passwordHash ?? null);
  if (!identity || !isRight) {
    return { outcome: "refused" };
  }
  const { user } = identity;
  const code = attempt.code?.trim() ?? "";
  if (user.hasTotp && code !== "" && !(await takeCode(db, deps, { userId: user.id, code }))) {
    return { outcome: "code_wrong" };
  }
  await takeBack();
  if (user.hasTotp && code === "") {
    return { outcome: "code_required" };
  }
  if (identity.bar !== null) {
    return { outcome: "disabled" };
  }
  const entered = await openSession(db, identity);
  return entered ? { outcome: "signed_in", user: entered } : { outcome: "refused" };
}

/**
 * Whether a user who may sign in has this password. It counts no attempt and opens no session: for a warning at start,
 * never for a request.
 */
export async function isPasswordInForce(
  db: Db,
  { email, password }: { email: string; password: string },
): Promise<boolean> {
  const identity = await findIdentityByEmail(db, email);
  return (await isPassword(password, identity?.passwordHash ?? null)) && identity?.bar === null;
}
