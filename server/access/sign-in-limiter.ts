import { createHash } from "node:crypto";
import { isIPv6 } from "node:net";
import type { Database } from "@/server/db";
import { relaxed } from "@/server/db/handles";
import { canonicalCidr, plainAddress } from "./cidr";
import { createRateLimiter } from "./rate-limit";

/**
 * Whose secret is guessed at. Someone who is signed in already is counted by e-mail alone: `address` undefined.
 * Whoever shows the token of a link is counted by address alone.
 */
type Subject = { email: string; address?: string | null } | { email?: never; address: string | null };

/**
 * Bounds how often passwords and codes may be guessed. Each attempt is paid for before its check, so that a burst is
 * bounded, and counted on its own connection, so that a transaction that rolls back does not undo it.
 */
export type SignInLimiter = {
  /** Throws rateLimited after too many failures. The answer takes the attempt back: call it when it was right. */
  begin: (subject: Subject) => Promise<() => Promise<void>>;
};

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

function costsOf({ email, address }: Subject): [subject: string, points: number][] {
  const costs: [string, number][] = [];
  if (address !== undefined) {
    costs.push([`sign-in:address:${networkOf(address)}`, FAILURES_PER_ADDRESS]);
  }
  if (email !== undefined) {
    // Hashed: the table's key is short, and an address book is nothing to keep.
    const who = createHash("sha256").update(email.trim().toLowerCase()).digest("base64url");
    costs.push([`sign-in:email:${who}`, FAILURES_PER_EMAIL]);
  }
  return costs;
}

/** One for a process: its limiter remembers whom it refused. */
export function createSignInLimiter(db: Database): SignInLimiter {
  const limiter = createRateLimiter({ db: relaxed(db), windowSeconds: WINDOW_SECONDS });
  return {
    begin: async (subject) => {
      const costs = costsOf(subject);
      for (const cost of costs) {
        await limiter.take(...cost);
      }
      return async () => {
        for (const cost of costs) {
          await limiter.giveBack(...cost);
        }
      };
    },
  };
}
