import { and, eq, isNotNull, isNull } from "drizzle-orm";
import { type Db, rowOrRefuse, tables, transaction } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { Refusal } from "@/server/domain/refusal";
import { type IdentityDeps, prove, type Reauthentication } from "./reauthentication";
import { hashRecoveryCode, mintRecoveryCodes, plainCode } from "./recovery-codes";
import { endSessionsOf } from "./sessions";
import { findStep, mintTotpSecret, totpUri } from "./totp";
import { getIdentity } from "./users";

const { users } = tables;

const alreadyOn = () => new Refusal("two-factor authentication is already on", "totpOn");
const notOn = () => new Refusal("two-factor authentication is not on", "totpOff");

/**
 * Gives the user a new secret for an authenticator app. Sign-in asks for no code before `enableTotp`; a second call
 * replaces the first secret. Only the result contains the secret. Throws Refusal. Counts as a sign-in attempt, so that
 * a stranger at an open session cannot lock its owner out.
 */
export async function beginTotp(
  db: Db,
  deps: IdentityDeps,
  claim: { userId: string; issuer: string; proof: Reauthentication },
): Promise<{ secret: string; uri: string }> {
  await prove(db, deps, claim);
  const secret = mintTotpSecret();
  const row = await rowOrRefuse(
    ormOf(db)
      .update(users)
      .set({ totpSecret: deps.vault.seal(secret), totpLastStep: null })
      .where(and(eq(users.id, claim.userId), isNull(users.totpEnabledAt)))
      .returning({ email: users.email }),
    alreadyOn,
  );
  return { secret, uri: totpUri({ secret, issuer: claim.issuer, email: row.email }) };
}

/**
 * Turns the second factor on if a code proves that the app has the secret; this uses the code up. Returns the recovery
 * codes, which only the result contains. Throws Refusal; counts as a sign-in attempt.
 */
export async function enableTotp(
  db: Db,
  deps: IdentityDeps,
  attempt: { userId: string; code: string },
): Promise<string[]> {
  const { user } = await getIdentity(db, attempt.userId);
  const isOff = and(eq(users.id, user.id), isNull(users.totpEnabledAt));
  const row = await rowOrRefuse(
    ormOf(db).select({ sealed: users.totpSecret }).from(users).where(isOff),
    alreadyOn,
  );
  if (row.sealed === null) {
    throw new Refusal("the setup of two-factor authentication has not started", "totpNotBegun");
  }
  const takeBack = await deps.attempts.begin(user);
  const now = deps.clock();
  const step = findStep(deps.vault.open(row.sealed), plainCode(attempt.code), now);
  if (step === null) {
    throw new Refusal("the code is wrong", "codeWrong");
  }
  await takeBack();
  const codes = mintRecoveryCodes();
  const enabled = await ormOf(db)
    .update(users)
    .set({
      totpEnabledAt: now,
      totpLastStep: step,
      recoveryCodes: hashes(codes, { userId: user.id, pepper: deps.pepper }),
    })
    // If two requests run at once, one turns it on, and its codes apply.
    .where(and(isOff, eq(users.totpSecret, row.sealed)))
    .returning({ id: users.id });
  if (enabled.length === 0) {
    throw alreadyOn();
  }
  return codes;
}

const hashes = (codes: string[], { userId, pepper }: { userId: string; pepper: string }) =>
  codes.map((text) => hashRecoveryCode({ userId, text }, pepper));

/** Turns the second factor off and ends every session. Throws Refusal; counts as a sign-in attempt. */
export async function disableTotp(
  db: Db,
  deps: IdentityDeps,
  claim: { userId: string; proof: Reauthentication },
): Promise<void> {
  await prove(db, deps, claim);
  await clearTotp(db, claim.userId);
}

/** Like `disableTotp`, without a proof. */
export async function clearTotp(db: Db, userId: string): Promise<void> {
  await transaction(db, async (tx) => {
    const cleared = await ormOf(tx)
      .update(users)
      .set({ totpSecret: null, totpEnabledAt: null, totpLastStep: null, recoveryCodes: [] })
      .where(and(eq(users.id, userId), isNotNull(users.totpEnabledAt)))
      .returning({ id: users.id });
    if (cleared.length === 0) {
      throw notOn();
    }
    await endSessionsOf(tx, eq(users.id, userId));
  });
}

/** Replaces the recovery codes by ten new ones, which only the result contains. Throws Refusal. */
export async function renewRecoveryCodes(
  db: Db,
  deps: IdentityDeps,
  claim: { userId: string; proof: Reauthentication },
): Promise<string[]> {
  await prove(db, deps, claim);
  const codes = mintRecoveryCodes();
  const renewed = await ormOf(db)
    .update(users)
    .set({ recoveryCodes: hashes(codes, { userId: claim.userId, pepper: deps.pepper }) })
    .where(and(eq(users.id, claim.userId), isNotNull(users.totpEnabledAt)))
    .returning({ id: users.id });
  if (renewed.length === 0) {
    throw notOn();
  }
  return codes;
}
