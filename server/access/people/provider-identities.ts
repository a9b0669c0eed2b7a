/**
 * Users' identities at the OpenID Connect provider. A linked user is recognised by the provider's subject alone. A
 * verified e-mail address only links a user who has no other way to sign in yet, or who is signed in already.
 */
import { and, eq } from "drizzle-orm";
import { type Db, type Tx, tables, transaction } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { Refusal } from "@/server/domain/refusal";
import { removeLink } from "./links";
import { type IdentityDeps, prove, type Reauthentication } from "./reauthentication";
import { endSessionsOf, isJustProved, mayStillEnter, type SessionUser, startSession } from "./sessions";
import { findIdentity, findIdentityByEmail, getIdentity, type Identity, type User } from "./users";

const { userIdentities, users } = tables;

/** A user's issuer and subject at a provider. */
export type ProviderIdentity = { issuer: string; subject: string };

const isTheirs = ({ issuer, subject }: ProviderIdentity) =>
  and(eq(userIdentities.issuer, issuer), eq(userIdentities.subject, subject));

async function findLinked(db: Db, identity: ProviderIdentity): Promise<Identity | null> {
  const [linked] = await ormOf(db)
    .select({ userId: userIdentities.userId })
    .from(userIdentities)
    .where(isTheirs(identity));
  return linked ? await findIdentity(db, linked.userId) : null;
}

/** An identity that a provider has confirmed. `sessionId`: the browser's previous session; null: none. */
export type Vouched = ProviderIdentity & { email: string; sessionId: string | null };

/**
 * Links the user with this e-mail address. Throws Refusal if there is none or if they are linked to another identity.
 * Also throws it if they have a password or a second factor and no session with a recent proof: an e-mail address is
 * then not sufficient.
 */
export async function linkIdentity(tx: Tx, { email, sessionId, ...identity }: Vouched): Promise<User> {
  const match = await findIdentityByEmail(tx, email);
  if (!match) {
    throw new Refusal(`the email ${email} has not been invited`, "identityUnknown");
  }
  // All code that ends sessions or sets a password locks this row first.
  await ormOf(tx)
    .select({ id: users.id })
    .from(users)
    .where(eq(users.id, match.user.id))
    .for("no key update");
  // Throws Refusal if the user is disabled.
  const { user, passwordHash } = await getIdentity(tx, match.user.id);
  const hasOtherWay = passwordHash !== null || user.hasTotp;
  if (hasOtherWay && !(sessionId && (await isJustProved(tx, { id: sessionId, userId: user.id })))) {
    throw new Refusal("sign in with the password and link the provider there", "identityNotLinked");
  }
  const linked = await ormOf(tx)
    .insert(userIdentities)
    .values({ userId: user.id, ...identity })
    .onConflictDoNothing()
    .returning({ userId: userIdentities.userId });
  if (linked.length === 0) {
    throw new Refusal("this user is linked to someone else at the provider", "identityElsewhere");
  }
  // The link served users without another way to sign in.
  await removeLink(tx, user.id);
  return user;
}

type Entering = {
  identity: ProviderIdentity;
  /** When the provider authenticated the user; null: it does not say. */
  provedAt: Date | null;
  address: string | null;
  /** Links an unlinked user. Throws Refusal. */
  link: () => Promise<unknown>;
};

/**
 * Opens a session for a user whom a provider has confirmed. `disabled`: the user or their account is. Throws Refusal if
 * the user cannot be linked, and rateLimited after too many failures from one address.
 */
export async function enterByProvider(
  db: Db,
  { attempts }: Pick<IdentityDeps, "attempts">,
  { identity, provedAt, address, link }: Entering,
): Promise<SessionUser | "disabled"> {
  const takeBack = await attempts.begin({ address });
  const existing = await findLinked(db, identity);
  if (!existing) {
    await link();
  }
  const linked = existing ?? (await findLinked(db, identity));
  if (!linked || linked.bar !== null) {
    return "disabled";
  }
  const entered = await transaction(db, async (tx) => {
    if (!(await mayStillEnter(tx, linked.user))) {
      return "disabled";
    }
    // Read under the lock, which requests that remove the link hold, too.
    const still = await findLinked(tx, identity);
    return still?.user.id === linked.user.id ? await startSession(tx, linked.user, provedAt) : "disabled";
  });
  if (entered !== "disabled") {
    await takeBack();
  }
  return entered;
}

/** Removes a user's link to the provider and ends their sessions. Returns the identity. Throws Refusal. */
export async function unlinkIdentity(db: Db, userId: string): Promise<ProviderIdentity> {
  return await transaction(db, async (tx) => {
    await endSessionsOf(tx, eq(users.id, userId));
    const [was] = await ormOf(tx)
      .delete(userIdentities)
      .where(eq(userIdentities.userId, userId))
      .returning({ issuer: userIdentities.issuer, subject: userIdentities.subject });
    if (!was) {
      throw new Refusal("this user is not linked to a provider", "identityNone");
    }
    return was;
  });
}

/**
 * Like `unlinkIdentity`, by the user, who must have a password to sign in with. Throws Refusal; counts as a sign-in
 * attempt.
 */
export async function unlinkOwnIdentity(
  db: Db,
  deps: IdentityDeps,
  claim: { userId: string; proof: Reauthentication },
): Promise<ProviderIdentity> {
  const user = await prove(db, deps, claim);
  return await transaction(db, async (tx) => {
    const was = await unlinkIdentity(tx, user.id);
    // Read after the lock: if two requests remove the two ways to sign in at once, the later one sees the first.
    const { passwordHash } = await getIdentity(tx, user.id);
    if (passwordHash === null) {
      throw new Refusal("this is the user's only way to sign in: set a password first", "identityOnlyWay");
    }
    return was;
  });
}
