import { GatewayError } from "@/server/base/errors";
import { type Eventual, whenHere } from "@/server/base/eventual";
import type { Pool, ShareRefusal, Want } from "@/server/domain/shares";

/** A key's limit is a thousand times as much. */
const SMALL_BODY = 64 * 1024;

/** The bytes of one call's body while they are in memory. */
export type BodyBytes = {
  /** Throws 429 when the key or the account has too many of them, 503 when the server has. */
  take: (bytes: number) => Eventual<void>;
  /** How many bytes the call has taken. */
  total: () => number;
  /** Gives all of them back. A second call does nothing. */
  release: () => void;
};

/** The owner of the bytes: one key or one user of the console, and the account behind it. */
type BodyHolder = { id: string; accountId: string };

export type BodyBudget = {
  /** `expected`: requested at once, in parallel with the call's other requests, and granted to the first `take`. */
  open: (holder: BodyHolder, expected?: number) => BodyBytes;
};

const errorOfShare = ({ by, hasSome }: ShareRefusal) =>
  by === "all" && !hasSome
    ? new GatewayError("unavailable")
    : new GatewayError("rateLimited", "", { headers: { "retry-after": "1" } });

/**
 * Bounds the bytes of request bodies that are in memory: in total, for each key or user, and for each account. An
 * account gets its fair share, because it can create any number of keys. A body takes up to ten times its size until
 * its call has ended.
 */
export function createBodyBudget(bytes: Pool, limits: { perHolder: number }): BodyBudget {
  return {
    open: ({ id, accountId }, expected = 0) => {
      const wants: Want[] = [];
      let isOver = false;
      const ask = (amount: number, isSmall = false): Eventual<ShareRefusal | null> => {
        const want = {
          holder: { id, most: limits.perHolder },
          account: { id: accountId, most: null },
          amount,
          isSmall,
        };
        return whenHere(bytes.take(want), (refused) => {
          if (refused === null && isOver) {
            bytes.give(want);
          } else if (refused === null) {
            wants.push(want);
          }
          return refused;
        });
      };
      let reservation = expected > 0 ? { outcome: ask(expected, expected <= SMALL_BODY) } : null;
      if (reservation?.outcome instanceof Promise) {
        // The first `take` throws the error.
        reservation.outcome.catch(() => {});
      }
      return {
        take: (amount) => {
          const early = reservation;
          reservation = null;
          const late = () => (amount > 0 ? ask(amount) : null);
          return whenHere(early ? early.outcome : late(), (refused) => {
            if (refused) {
              throw errorOfShare(refused);
            }
          });
        },
        total: () => wants.reduce((sum, { amount }) => sum + amount, 0),
        release: () => {
          isOver = true;
          wants.splice(0).forEach(bytes.give);
        },
      };
    },
  };
}
