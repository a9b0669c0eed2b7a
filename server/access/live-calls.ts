import { GatewayError } from "@/server/base/errors";
import { mayTake } from "@/server/base/fair-share";

/** Whose call it is, and how many its owner and the operator allow at a time. null: nobody has said. */
export type Limited = {
  keyId: string;
  accountId: string;
  maxConcurrent: number | null;
  account: { maxConcurrent: number | null };
};

/** Calls under way in this process, by key and by account. */
export type LiveCalls = {
  /**
   * Takes a place. Answers what gives it back, once however often it is called. Throws 429, and 503 of a full process.
   */
  enter: (caller: Limited) => () => void;
  count: () => number;
};

const refusal = (scope: "key" | "account", limit: number | null) =>
  new GatewayError("tooManyAtOnce", "", {
    headers: {
      "retry-after": "1",
      "x-ratelimit-scope": scope,
      ...(limit !== null && { "x-ratelimit-limit-concurrent": String(limit) }),
    },
  });

/** `capacity`: calls that the process serves at a time; an account without a limit of its own gets its fair share. */
export function createLiveCalls(capacity: number): LiveCalls {
  const live = new Map<string, number>();
  let taken = 0;
  const move = (id: string, by: number) => {
    const count = (live.get(id) ?? 0) + by;
    if (count === 0) {
      live.delete(id);
    } else {
      live.set(id, count);
    }
  };
  return {
    enter: ({ keyId, accountId, maxConcurrent, account }) => {
      if (maxConcurrent !== null && (live.get(keyId) ?? 0) >= maxConcurrent) {
        throw refusal("key", maxConcurrent);
      }
      const own = live.get(accountId) ?? 0;
      const limit = account.maxConcurrent;
      if (limit === null ? !mayTake({ capacity, taken, own }) && taken < capacity : own >= limit) {
        throw refusal("account", limit);
      }
      if (taken >= capacity) {
        throw new GatewayError("unavailable");
      }
      const ids = [keyId, accountId];
      taken++;
      ids.forEach((id) => void move(id, 1));
      let isOver = false;
      return () => {
        if (!isOver) {
          isOver = true;
          taken--;
          ids.forEach((id) => void move(id, -1));
        }
      };
    },
    count: () => taken,
  };
}
