import { createHash } from "node:crypto";
import { isIPv6 } from "node:net";
import type { Database } from "@/server/db";
import { relaxed } from "@/server/db/handles";
import { canonicalCidr, plainAddress } from "../keys/cidr";
import { createRateLimiter } from "../limits/rate-limit";

/**
 * The target of guesses. A user who is signed in is counted by e-mail address alone (`address` undefined), a user of a
 * link's token by address alone.
 */
type GuessTarget = { email: string; address?: string | null } | { email?: never; address: string | null };

/**
 * Limits guesses of passwords and codes. Each attempt is counted before its check, so that a burst is limited, and on
 * its own connection, so that a rolled-back transaction does not undo it.
 */
export type SignInLimiter = {
  /** Throws rateLimited after too many failures. Call the returned function after a success: it removes the attempt. */
  begin: (subject: GuessTarget) => Promise<() => Promise<void>>;
};

const WINDOW_SECONDS = 15 * 60;
const FAILURES_PER_EMAIL = 10;
const FAILURES_PER_ADDRESS = 30;

/** One subject per network: an IPv6 host can call from a whole /64. */
function networkOf(address: string | null): string {
  const plain = address === null ? null : plainAddress(address);
  if (plain === null) {
    return "unknown";
  }
  return isIPv6(plain) ? (canonicalCidr(`${plain}/64`) ?? plain) : plain;
}

function costsOf({ email, address }: GuessTarget): [subject: string, points: number][] {
  const costs: [string, number][] = [];
  if (address !== undefined) {
    costs.push([`sign-in:address:${networkOf(address)}`, FAILURES_PER_ADDRESS]);
  }
  if (email !== undefined) {
    // Hashed, because the table's key is short and should not be a list of e-mail addresses.
    const who = createHash("sha256").update(email.trim().toLowerCase()).digest("base64url");
    costs.push([`sign-in:email:${who}`, FAILURES_PER_EMAIL]);
  }
  return costs;
}

/** Create it once per process: its limiter remembers refused subjects. */
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
