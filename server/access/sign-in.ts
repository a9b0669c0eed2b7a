import { createHash, randomUUID } from "node:crypto";
import { isIPv6 } from "node:net";
import { hash, verify } from "@node-rs/argon2";
import type { Database } from "@/server/db";
import { canonicalCidr, plainAddress } from "./ip-allow-list";
import { createRateLimiter } from "./rate-limit";
import { findUserByEmail, type User } from "./users";

type SignInAttempt = { email: string; password: string; address: string | null };

/** The user whose password it is, else null. Throws rateLimited after too many failures. */
export type SignIn = (attempt: SignInAttempt) => Promise<User | null>;

const WINDOW_SECONDS = 15 * 60;
const FAILURES_PER_EMAIL = 10;
const FAILURES_PER_ADDRESS = 30;

/** One subject a customer's network: an IPv6 host has a whole /64 to call from. */
function networkOf(address: string | null): string {
  const plain = address === null ? null : plainAddress(address);
  if (plain === null) {
    return "unknown";
  }
  return isIPv6(plain) ? (canonicalCidr(`${plain}/64`) ?? plain) : plain;
}

/** Checks passwords. Every attempt is paid for before the check, so that a burst is bounded; success is free. */
export function createSignIn(db: Database): SignIn {
  const limiter = createRateLimiter({ sql: db.relaxed, windowSeconds: WINDOW_SECONDS });
  // Verified when nobody has that e-mail, so that the time an answer takes does not tell who exists.
  let decoy: Promise<string> | undefined;

  return async ({ email, password, address }) => {
    // Hashed: the table's key is short, and an address book is nothing to keep.
    const subject = createHash("sha256").update(email.trim().toLowerCase()).digest("base64url");
    const costs: [subject: string, points: number][] = [
      [`sign-in:address:${networkOf(address)}`, FAILURES_PER_ADDRESS],
      [`sign-in:email:${subject}`, FAILURES_PER_EMAIL],
    ];
    for (const cost of costs) {
      await limiter.take(...cost);
    }
    decoy ??= hash(randomUUID());
    const fallback = await decoy;
    const found = await findUserByEmail(db.orm, email);
    const isRight = await verify(found?.passwordHash ?? fallback, password);
    if (!found || !isRight) {
      return null;
    }
    for (const cost of costs) {
      await limiter.giveBack(...cost);
    }
    return found.user;
  };
}
