import { and, eq, isNotNull, isNull, lt, or, sql } from "drizzle-orm";
import type { Clock } from "@/server/clock";
import { type Queryable, tables } from "@/server/db";
import { Refusal } from "@/server/refusal";
import type { Vault } from "@/server/vault";
import type { Attempts } from "./attempts";
import { isPassword } from "./password";
import { hashRecoveryCode, plainCode } from "./recovery-codes";
import { findStep } from "./totp";
import { getIdentity, type User } from "./users";

const { users } = tables;

/** What checking people needs. `pepper` keys the hashes of recovery codes. */
export type IdentityDeps = { attempts: Attempts; vault: Vault; clock: Clock; pepper: string };

/** What someone who is signed in shows once more before a change that would help a thief of the session. */
export type Proof = { password: string } | { code: string };

/** Whether it is a code of the user's authenticator or one of their recovery codes. Either is taken once. */
export async function takeCode(
  db: Queryable,
  deps: IdentityDeps,
  attempt: { userId: string; code: string },
): Promise<boolean> {
  const text = plainCode(attempt.code);
  return /^\d{6}$/.test(text)
    ? await takeTotp(db, deps, { userId: attempt.userId, code: text })
    : await takeRecoveryCode(db, {
        userId: attempt.userId,
        hash: hashRecoveryCode({ ...attempt, text }, deps.pepper),
      });
}

async function takeTotp(
  db: Queryable,
  deps: IdentityDeps,
  attempt: { userId: string; code: string },
): Promise<boolean> {
  const isOn = and(eq(users.id, attempt.userId), isNotNull(users.totpEnabledAt));
  const [row] = await db.select({ sealed: users.totpSecret }).from(users).where(isOn);
  const step = row?.sealed ? findStep(deps.vault.open(row.sealed), attempt.code, deps.clock()) : null;
  if (!row?.sealed || step === null) {
    return false;
  }
  // The row decides between two who show the same code at once: the later one finds the step taken.
  const isNew = or(isNull(users.totpLastStep), lt(users.totpLastStep, step));
  const taken = await db
    .update(users)
    .set({ totpLastStep: step })
    .where(and(isOn, eq(users.totpSecret, row.sealed), isNew))
    .returning({ id: users.id });
  return taken.length > 0;
}

async function takeRecoveryCode(db: Queryable, code: { userId: string; hash: string }): Promise<boolean> {
  const taken = await db
    .update(users)
    .set({ recoveryCodes: sql`array_remove(${users.recoveryCodes}, ${code.hash})` })
    .where(
      and(
        eq(users.id, code.userId),
        isNotNull(users.totpEnabledAt),
        sql`${code.hash} = any(${users.recoveryCodes})`,
      ),
    )
    .returning({ id: users.id });
  return taken.length > 0;
}

/** Checks a proof; counted like a sign-in. Throws Refusal when it is wrong, rateLimited after too many that were. */
export async function prove(
  db: Queryable,
  deps: IdentityDeps,
  claim: { userId: string; proof: Proof },
): Promise<User> {
  const { user, passwordHash } = await getIdentity(db, claim.userId);
  const { proof } = claim;
  const takeBack = await deps.attempts.begin(user);
  if ("password" in proof) {
    if (!(await isPassword(proof.password, passwordHash))) {
      throw new Refusal("the password is wrong", "passwordWrong");
    }
  } else if (!(await takeCode(db, deps, { userId: user.id, code: proof.code }))) {
    throw new Refusal("the code is wrong", "codeWrong");
  }
  await takeBack();
  return user;
}
