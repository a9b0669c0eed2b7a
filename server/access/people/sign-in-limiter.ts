import { createHash } from "node:crypto";
import { isIPv6 } from "node:net";
import { GatewayError } from "@/server/base/errors";
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
  /** Counts a request for an e-mail with a link, whether or not anyone has that address. Throws rateLimited. */
  countRequest: (subject: { email: string; address: string | null }) => Promise<void>;
  /**
   * Counts an e-mail with a link that a person sends to a user of an account (null: of the staff). false: there were too
   * many, so it must not be sent.
   */
  mayMail: (subject: { email: string; accountId: string | null }) => Promise<boolean>;
};

const WINDOW_SECONDS = 15 * 60;
const FAILURES_PER_EMAIL = 10;
const FAILURES_PER_ADDRESS = 30;
/** E-mails that strangers can cause: to one mailbox, and from one address. */
const REQUESTS_PER_EMAIL = 3;
const REQUESTS_PER_ADDRESS = 20;
/** E-mails that a customer can cause: to one mailbox, whose owner may be a stranger, and in all. */
const LINKS_PER_EMAIL = 3;
const LINKS_PER_ACCOUNT = 30;

const isTooMany = (error: unknown) => error instanceof GatewayError && error.kind === "rateLimited";

/** One subject per network: an IPv6 host can call from a whole /64. */
function networkOf(address: string | null): string {
  const plain = address === null ? null : plainAddress(address);
  if (plain === null) {
    return "unknown";
  }
  return isIPv6(plain) ? (canonicalCidr(`${plain}/64`) ?? plain) : plain;
}

/** Hashed, because the table's key is short and should not be a list of e-mail addresses. */
const mailboxOf = (email: string) =>
  createHash("sha256").update(email.trim().toLowerCase()).digest("base64url");

function costsOf({ email, address }: GuessTarget): [subject: string, points: number][] {
  const costs: [string, number][] = [];
  if (address !== undefined) {
    costs.push([`sign-in:address:${networkOf(address)}`, FAILURES_PER_ADDRESS]);
  }
  if (email !== undefined) {
    costs.push([`sign-in:email:${mailboxOf(email)}`, FAILURES_PER_EMAIL]);
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
    countRequest: async ({ email, address }) => {
      await limiter.take(`forgot:address:${networkOf(address)}`, REQUESTS_PER_ADDRESS);
      await limiter.take(`forgot:email:${mailboxOf(email)}`, REQUESTS_PER_EMAIL);
    },
    mayMail: async ({ email, accountId }) => {
      try {
        if (accountId !== null) {
          await limiter.take(`link:account:${accountId}`, LINKS_PER_ACCOUNT);
        }
        await limiter.take(`link:email:${mailboxOf(email)}`, LINKS_PER_EMAIL);
        return true;
      } catch (error) {
        if (isTooMany(error)) {
          return false;
        }
        throw error;
      }
    },
  };
}
