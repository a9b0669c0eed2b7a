/**
 * Who people are at the OpenID Connect provider. Whoever is linked comes in by the provider's name for them alone. An
 * e-mail, which the provider has verified, only links somebody who has no other way in yet, or who is here already.
 */
import { and, eq } from "drizzle-orm";
import { Refusal } from "@/server/base/refusal";
import { type Db, type Tx, tables, transaction } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { removeLink } from "./links";
import { type IdentityDeps, prove, type Reauthentication } from "./reauthentication";
import { endSessionsOf, isJustProved, mayStillEnter, type SessionUser, startSession } from "./sessions";
import { findIdentity, findIdentityByEmail, getIdentity, type Identity, type User } from "./users";

const { userIdentities, users } = tables;

/** Somebody, as a provider names them. */
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

/** What a provider has vouched for. `sessionId`: the session that the browser had before; `address`: the browser's. */
export type Vouched = ProviderIdentity & { email: string; sessionId: string | null };

/**
 * Links the user with this e-mail. Throws Refusal where there is none, where they are linked to somebody else, and
 * where they have a password or a second factor and are not signed in with a proof of a moment ago: then it takes more
 * than an e-mail to become them.
 */
export async function linkIdentity(tx: Tx, { email, sessionId, ...identity }: Vouched): Promise<User> {
  const found = await findIdentityByEmail(tx, email);
  if (!found) {
    throw new Refusal(`nobody was invited by the e-mail ${email}`, "identityUnknown");
  }
  // Whatever ends sessions or sets a password has this row first.
  await ormOf(tx)
    .select({ id: users.id })
    .from(users)
    .where(eq(users.id, found.user.id))
    .for("no key update");
  // Throws Refusal for who is disabled.
  const { user, passwordHash } = await getIdentity(tx, found.user.id);
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
    throw new Refusal("this user is linked to somebody else at the provider", "identityElsewhere");
  }
  // It was a way in for who has none.
  await removeLink(tx, user.id);
  return user;
}

type Entering = {
  identity: ProviderIdentity;
  /** When the provider had them show who they are; null: it does not say. */
  provedAt: Date | null;
  address: string | null;
  /** Links whoever is not. Throws Refusal. */
  link: () => Promise<unknown>;
};

/**
 * Opens a session for whom a provider has vouched. `disabled`: they or their account are. Throws Refusal where they
 * cannot be linked, and rateLimited after too many from one address that came to nothing.
 */
export async function enterByProvider(
  db: Db,
  { attempts }: Pick<IdentityDeps, "attempts">,
  { identity, provedAt, address, link }: Entering,
): Promise<SessionUser | "disabled"> {
  const takeBack = await attempts.begin({ address });
  const known = await findLinked(db, identity);
  if (!known) {
    await link();
  }
  const linked = known ?? (await findLinked(db, identity));
  if (!linked || linked.bar !== null) {
    return "disabled";
  }
  const entered = await transaction(db, async (tx) => {
    if (!(await mayStillEnter(tx, linked.user))) {
      return "disabled";
    }
    // Read under the lock, which a request that removes the link holds, too.
    const still = await findLinked(tx, identity);
    return still?.user.id === linked.user.id ? await startSession(tx, linked.user, provedAt) : "disabled";
  });
  if (entered !== "disabled") {
    await takeBack();
  }
  return entered;
}

/** Takes a user's link away, and ends their sessions. Answers what it was. Throws Refusal. */
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

/** As `unlinkIdentity`, by whoever has a password to come in by. Throws Refusal; counted like a sign-in. */
export async function unlinkOwnIdentity(
  db: Db,
  deps: IdentityDeps,
  claim: { userId: string; proof: Reauthentication },
): Promise<ProviderIdentity> {
  const user = await prove(db, deps, claim);
  return await transaction(db, async (tx) => {
    const was = await unlinkIdentity(tx, user.id);
    // Behind its lock: of two at once that take the two ways in away, the later one sees the first.
    const { passwordHash } = await getIdentity(tx, user.id);
    if (passwordHash === null) {
      throw new Refusal("without a password there would be no way in", "identityOnlyWay");
    }
    return was;
  });
}
