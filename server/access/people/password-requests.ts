/**
 * Requests for a link to set a new password, by people who cannot sign in. Asking is one insert for every address, so
 * that neither the answer nor its time shows who has a user here; the worker looks for the user later.
 */
import { eq, lt, lte, sql } from "drizzle-orm";
import type { Language } from "@/server/base/language";
import { type Db, type Tx, tables, transaction } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { isNextOf } from "@/server/db/lease";
import { issueLink } from "./links";
import type { SignInLimiter } from "./sign-in-limiter";
import { canonicalEmail, findIdentityByEmail, type User } from "./users";

const { passwordRequests, userIdentities } = tables;

/** Longer than an attempt to send an e-mail. */
const LEASE_MS = 60_000;
/** An e-mail that could not be sent for this long is given up: its user has asked again by now. */
const GIVE_UP_MS = 3_600_000;

type Asked = { email: string; language: Language; address: string | null };

/** A second request for an address waits with the first. Throws rateLimited. */
export async function requestPassword(
  db: Db,
  { attempts }: { attempts: SignInLimiter },
  { email, ...asked }: Asked,
): Promise<void> {
  await attempts.countRequest({ email, address: asked.address });
  await ormOf(db)
    .insert(passwordRequests)
    .values({ email: canonicalEmail(email), ...asked })
    .onConflictDoNothing();
}

/** The next request that is due, for one process until the lease is over; null: none is. */
export async function claimPasswordRequest(db: Db, now: Date): Promise<Asked | null> {
  await ormOf(db)
    .delete(passwordRequests)
    .where(lt(passwordRequests.createdAt, new Date(now.getTime() - GIVE_UP_MS)));
  const isNext = isNextOf(db, passwordRequests.email, {
    where: lte(passwordRequests.dueAt, now),
    orderBy: [passwordRequests.dueAt],
    limit: 1,
  });
  const [claimed] = await ormOf(db)
    .update(passwordRequests)
    .set({ dueAt: new Date(now.getTime() + LEASE_MS) })
    .where(isNext)
    .returning({
      email: passwordRequests.email,
      language: passwordRequests.language,
      address: passwordRequests.address,
    });
  return claimed ?? null;
}

/** Repeating it changes nothing. */
export async function endPasswordRequest(db: Db, email: string): Promise<void> {
  await ormOf(db).delete(passwordRequests).where(eq(passwordRequests.email, email));
}

type AskedLink = { user: User; token: string; hasPassword: boolean };

/**
 * A link for the user with this address. null: there is none who may sign in, or one who signs in by a provider alone,
 * to whom a mailbox must not give a password. `note` runs in the transaction of the link.
 */
export async function issueRequestedLink(
  db: Db,
  email: string,
  note: (tx: Tx, user: User) => Promise<void>,
): Promise<AskedLink | null> {
  return await transaction(db, async (tx) => {
    const identity = await findIdentityByEmail(tx, email);
    const hasPassword = identity?.passwordHash != null;
    if (!identity || identity.bar !== null || (!hasPassword && (await isLinked(tx, identity.user)))) {
      return null;
    }
    const { user } = identity;
    const { token } = await issueLink(tx, user.id, hasPassword ? "requested" : "fromOthers");
    await note(tx, user);
    return { user, token, hasPassword };
  });
}

async function isLinked(tx: Tx, { id }: User): Promise<boolean> {
  const [linked] = await ormOf(tx)
    .select({ one: sql`1` })
    .from(userIdentities)
    .where(eq(userIdentities.userId, id))
    .limit(1);
  return linked !== undefined;
}
