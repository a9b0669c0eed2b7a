/** Links with which users set their own password: an invitation, or a reset of a forgotten one. */
import { createHash, randomBytes } from "node:crypto";
import { and, eq, gt, sql } from "drizzle-orm";
import { type Db, rowOrRefuse, tables, transaction } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { Refusal } from "@/server/domain/refusal";
import { hashPassword } from "./password";
import { endSessionsOf } from "./sessions";
import type { SignInLimiter } from "./sign-in-limiter";
import { findIdentity, getIdentity, type User } from "./users";

const { userLinks, users } = tables;

/**
 * The validity of links. A link from another person lasts longer, because its user may be asleep. The user waits for a
 * link that they have asked for.
 */
const VALID_SECONDS = { fromOthers: 24 * 60 * 60, requested: 60 * 60 };
/** 256 random bits. */
const TOKEN_BYTES = 32;

/** The token is in the fragment: proxies, logs and other pages do not see it. */
export const linkPath = (token: string) => `/set-password#${token}`;

/** This many random bits need neither salt nor pepper, so rotating the pepper ends no invitation. */
const hashOf = (token: string) => createHash("sha256").update(token).digest("base64url");

/** The message gives no reason, so that guesses do not show whether a link ever existed. */
const linkInvalid = () => new Refusal("this link is no longer valid", "linkInvalid");

/**
 * Creates a link for a user who may sign in; it replaces the previous one and works once, within a day, or within an
 * hour if the user has asked for it. Only the result contains the token. Throws Refusal.
 */
export async function issueLink(
  db: Db,
  userId: string,
  by: keyof typeof VALID_SECONDS = "fromOthers",
): Promise<{ token: string; expiresAt: Date }> {
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  const link = { hash: hashOf(token), expiresAt: new Date(Date.now() + VALID_SECONDS[by] * 1000) };
  await transaction(db, async (tx) => {
    // A concurrent disabling waits for this transaction and then deletes the link.
    await ormOf(tx).select({ id: users.id }).from(users).where(eq(users.id, userId)).for("share");
    await getIdentity(tx, userId);
    await ormOf(tx)
      .insert(userLinks)
      .values({ userId, ...link })
      .onConflictDoUpdate({ target: userLinks.userId, set: link });
  });
  return { token, expiresAt: link.expiresAt };
}

/** Repeating it changes nothing. */
export async function removeLink(db: Db, userId: string): Promise<void> {
  await ormOf(db).delete(userLinks).where(eq(userLinks.userId, userId));
}

const isOpen = (token: string) => and(eq(userLinks.hash, hashOf(token)), gt(userLinks.expiresAt, sql`now()`));

/**
 * Sets a user's password with the token of a link, deletes the link and ends every session. If a link is used several
 * times at once, one use succeeds. Throws Refusal. Guesses are counted by `address`, and too many throw rateLimited.
 */
export async function redeemLink(
  db: Db,
  { attempts }: { attempts: SignInLimiter },
  claim: { token: string; password: string; address: string | null },
): Promise<User> {
  const takeBack = await attempts.begin({ address: claim.address });
  const link = await rowOrRefuse(
    ormOf(db).select({ userId: userLinks.userId }).from(userLinks).where(isOpen(claim.token)),
    linkInvalid,
  );
  await takeBack();
  const passwordHash = await hashPassword(claim.password);
  return await transaction(db, async (tx) => {
    // Locks the user's row before the link's, like all other code that deletes links: the opposite order could
    // deadlock.
    const changed = await ormOf(tx)
      .update(users)
      .set({ passwordHash, mustChangePassword: false })
      .where(and(eq(users.id, link.userId), eq(users.status, "active")))
      .returning({ id: users.id });
    const used = await ormOf(tx)
      .delete(userLinks)
      .where(isOpen(claim.token))
      .returning({ userId: userLinks.userId });
    if (changed.length === 0 || used.length === 0) {
      throw linkInvalid();
    }
    await endSessionsOf(tx, eq(users.id, link.userId));
    const identity = await findIdentity(tx, link.userId);
    if (!identity || identity.bar !== null) {
      throw linkInvalid();
    }
    return identity.user;
  });
}
