import { and, eq, isNotNull, isNull, lt, or, sql } from "drizzle-orm";
import { type Clock, systemClock } from "@/server/base/clock";
import { Refusal } from "@/server/base/refusal";
import type { Secrets } from "@/server/base/secrets";
import type { Vault } from "@/server/base/vault";
import { type Database, type Db, tables, transaction } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { peppersOf } from "./api-key";
import { isPassword } from "./password";
import { hashRecoveryCode, plainCode } from "./recovery-codes";
import { isJustProved, markProved } from "./sessions";
import { createSignInLimiter, type SignInLimiter } from "./sign-in-limiter";
import { findStep } from "./totp";
import { getIdentity, type User } from "./users";

const { users } = tables;

/**
 * What checking people needs. `pepper` keys the hashes of recovery codes; those of the previous one are still known.
 */
export type IdentityDeps = {
  attempts: SignInLimiter;
  vault: Vault;
  clock: Clock;
  pepper: string;
  previousPepper?: string | undefined;
};

type Foundation = { db: Database; secrets: Secrets; vault: Vault };

/** Once for a process: what is counted of attempts is a part of it. */
export const identityOf = ({ db, secrets, vault }: Foundation): IdentityDeps => ({
  attempts: createSignInLimiter(db),
  vault,
  clock: systemClock,
  pepper: secrets.keyPepper,
  previousPepper: secrets.previous.keyPepper,
});

/**
 * What someone who is signed in shows once more before a change that would help a thief of the session. `sessionId`:
 * theirs, in which they have just come from the provider, which asked them who they are.
 */
export type Reauthentication = { password: string } | { code: string } | { sessionId: string };

/** Whether it is a code of the user's authenticator or one of their recovery codes. Either is taken once. */
export async function takeCode(
  db: Db,
  deps: IdentityDeps,
  attempt: { userId: string; code: string },
): Promise<boolean> {
  const text = plainCode(attempt.code);
  return /^\d{6}$/.test(text)
    ? await takeTotp(db, deps, { userId: attempt.userId, code: text })
    : await takeRecoveryCode(db, {
        userId: attempt.userId,
        hashes: peppersOf(deps).map((pepper) => hashRecoveryCode({ ...attempt, text }, pepper)),
      });
}

async function takeTotp(
  db: Db,
  deps: IdentityDeps,
  attempt: { userId: string; code: string },
): Promise<boolean> {
  return await transaction(db, async (tx) => await takeTotpLocked(tx, deps, attempt));
}

async function takeTotpLocked(
  db: Db,
  deps: IdentityDeps,
  attempt: { userId: string; code: string },
): Promise<boolean> {
  const isOn = and(eq(users.id, attempt.userId), isNotNull(users.totpEnabledAt));
  // Locked: its secret is not sealed anew between this look at it and the code's end.
  const [row] = await ormOf(db)
    .select({ sealed: users.totpSecret })
    .from(users)
    .where(isOn)
    .for("no key update");
  const step = row?.sealed ? findStep(deps.vault.open(row.sealed), attempt.code, deps.clock()) : null;
  if (!row?.sealed || step === null) {
    return false;
  }
  // The row decides between two who show the same code at once: the later one finds the step taken.
  const isNew = or(isNull(users.totpLastStep), lt(users.totpLastStep, step));
  const taken = await ormOf(db)
    .update(users)
    .set({ totpLastStep: step })
    .where(and(isOn, eq(users.totpSecret, row.sealed), isNew))
    .returning({ id: users.id });
  return taken.length > 0;
}

async function takeRecoveryCode(db: Db, code: { userId: string; hashes: string[] }): Promise<boolean> {
  for (const hash of code.hashes) {
    const taken = await ormOf(db)
      .update(users)
      .set({ recoveryCodes: sql`array_remove(${users.recoveryCodes}, ${hash})` })
      .where(
        and(
          eq(users.id, code.userId),
          isNotNull(users.totpEnabledAt),
          sql`${hash} = any(${users.recoveryCodes})`,
        ),
      )
      .returning({ id: users.id });
    if (taken.length > 0) {
      return true;
    }
  }
  return false;
}

/** Checks a proof; counted like a sign-in. Throws Refusal when it is wrong, rateLimited after too many that were. */
export async function prove(
  db: Db,
  deps: IdentityDeps,
  claim: { userId: string; proof: Reauthentication },
): Promise<User> {
  const { user, passwordHash } = await getIdentity(db, claim.userId);
  const { proof } = claim;
  const takeBack = await deps.attempts.begin(user);
  if ("password" in proof) {
    if (!(await isPassword(proof.password, passwordHash))) {
      throw new Refusal("the password is wrong", "passwordWrong");
    }
  } else if ("sessionId" in proof) {
    if (!(await isJustProved(db, { id: proof.sessionId, userId: user.id }))) {
      throw new Refusal("sign in at the provider once more", "proofTooOld");
    }
  } else if (!(await takeCode(db, deps, { userId: user.id, code: proof.code }))) {
    throw new Refusal("the code is wrong", "codeWrong");
  }
  await takeBack();
  return user;
}

/** Keeps a proof with the session that shows it, for a way that leads to the provider and back. Throws as `prove`. */
export async function proveSession(
  db: Db,
  deps: IdentityDeps,
  { sessionId, ...claim }: { userId: string; sessionId: string; proof: Reauthentication },
): Promise<void> {
  await prove(db, deps, claim);
  // A proof that the session has already is not made younger by showing it: else it would last for ever.
  if (!("sessionId" in claim.proof)) {
    await markProved(db, { id: sessionId, userId: claim.userId });
  }
}
