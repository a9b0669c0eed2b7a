import { and, eq, isNotNull, isNull, lt, or, sql } from "drizzle-orm";
import { type Clock, systemClock } from "@/server/base/clock";
import type { Secrets } from "@/server/base/secrets";
import type { Vault } from "@/server/base/vault";
import { type Database, type Db, tables, transaction } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { Refusal } from "@/server/domain/refusal";
import { peppersOf } from "../keys/api-key";
import { isPassword } from "./password";
import { hashRecoveryCode, plainCode } from "./recovery-codes";
import { isJustProved, markProved } from "./sessions";
import { createSignInLimiter, type SignInLimiter } from "./sign-in-limiter";
import { findStep } from "./totp";
import { getIdentity, type User } from "./users";

const { users } = tables;

/**
 * Dependencies of identity checks. `pepper` keys the hashes of recovery codes; hashes with the previous one are still
 * accepted.
 */
export type IdentityDeps = {
  attempts: SignInLimiter;
  vault: Vault;
  clock: Clock;
  pepper: string;
  previousPepper?: string | undefined;
};

type Foundation = { db: Database; secrets: Secrets; vault: Vault };

/** Create it once per process: it contains the counts of attempts. */
export const identityOf = ({ db, secrets, vault }: Foundation): IdentityDeps => ({
  attempts: createSignInLimiter(db),
  vault,
  clock: systemClock,
  pepper: secrets.keyPepper,
  previousPepper: secrets.previous.keyPepper,
});

/**
 * A proof that a signed-in user gives again before a change that would help a thief of the session. `sessionId`: their
 * session, in which the provider has just authenticated them.
 */
export type Reauthentication = { password: string } | { code: string } | { sessionId: string };

/** Whether the code comes from the user's authenticator or is one of their recovery codes. Each is accepted once. */
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
  // Locked, so that its secret is not sealed again before this transaction ends.
  const [row] = await ormOf(db)
    .select({ sealed: users.totpSecret })
    .from(users)
    .where(isOn)
    .for("no key update");
  const step = row?.sealed ? findStep(deps.vault.open(row.sealed), attempt.code, deps.clock()) : null;
  if (!row?.sealed || step === null) {
    return false;
  }
  // If two requests show the same code at once, the row decides: the later one finds the step used.
  const isNew = or(isNull(users.totpLastStep), lt(users.totpLastStep, step));
  const rows = await ormOf(db)
    .update(users)
    .set({ totpLastStep: step })
    .where(and(isOn, eq(users.totpSecret, row.sealed), isNew))
    .returning({ id: users.id });
  return rows.length > 0;
}

async function takeRecoveryCode(db: Db, code: { userId: string; hashes: string[] }): Promise<boolean> {
  for (const hash of code.hashes) {
    const rows = await ormOf(db)
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
    if (rows.length > 0) {
      return true;
    }
  }
  return false;
}

/**
 * Checks a proof; counts as a sign-in attempt. Throws Refusal if it is wrong, rateLimited after too many wrong ones.
 */
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
      throw new Refusal("sign in at the provider again", "proofTooOld");
    }
  } else if (!(await takeCode(db, deps, { userId: user.id, code: proof.code }))) {
    throw new Refusal("the code is wrong", "codeWrong");
  }
  await takeBack();
  return user;
}

/** Stores a proof with the session, for a round trip to the provider. Throws as `prove` does. */
export async function proveSession(
  db: Db,
  deps: IdentityDeps,
  { sessionId, ...claim }: { userId: string; sessionId: string; proof: Reauthentication },
): Promise<void> {
  await prove(db, deps, claim);
  // Showing the session's own proof does not renew it: otherwise it would never expire.
  if (!("sessionId" in claim.proof)) {
    await markProved(db, { id: sessionId, userId: claim.userId });
  }
}
