import { GatewayError } from "@/server/base/errors";
import { mayTake } from "@/server/base/fair-share";

/** The bytes of one call's body while they are in memory. */
export type BodyBytes = {
  /** Throws 429 when the key or the account has too many of them, 503 when the process has. */
  take: (bytes: number) => void;
  /** Gives all of them back. Twice is once. */
  release: () => void;
};

/** Whose they are: of one key or one user of the console, and the account behind it. */
type BodyHolder = { id: string; accountId: string };

export type BodyBudget = { open: (holder: BodyHolder) => BodyBytes };

/**
 * Bounds the bytes of request bodies that a process holds, what one key or user has of them, and what an account has:
 * its fair share, for it makes as many keys as it likes. A body takes up to ten times its size until its call has
 * ended.
 */
export function createBodyBudget(limits: { perProcess: number; perHolder: number }): BodyBudget {
  const held = new Map<string, number>();
  let total = 0;

  const heldBy = (id: string) => held.get(id) ?? 0;
  const move = ({ id, accountId }: BodyHolder, bytes: number) => {
    total += bytes;
    for (const each of [id, accountId]) {
      const now = heldBy(each) + bytes;
      if (now > 0) {
        held.set(each, now);
      } else {
        held.delete(each);
      }
    }
  };

  return {
    open: (holder) => {
      let taken = 0;
      return {
        take: (bytes) => {
          const own = heldBy(holder.accountId);
          const isBeyondShare = !mayTake({ capacity: limits.perProcess, taken: total, own, amount: bytes });
          if (heldBy(holder.id) + bytes > limits.perHolder || (isBeyondShare && own > 0)) {
            throw new GatewayError("rateLimited", "", { headers: { "retry-after": "1" } });
          }
          if (isBeyondShare) {
            throw new GatewayError("unavailable");
          }
          taken += bytes;
          move(holder, bytes);
        },
        release: () => {
          move(holder, -taken);
          taken = 0;
        },
      };
    },
  };
}
