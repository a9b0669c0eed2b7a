import { GatewayError } from "@/server/base/errors";
import { type Eventual, whenHere } from "@/server/base/eventual";
import type { Pool } from "@/server/domain/shares";

/** The key and account of a call, and the owner's and operator's limits of concurrent calls. null: not set. */
export type Limited = {
  keyId: string;
  accountId: string;
  maxConcurrent: number | null;
  account: { maxConcurrent: number | null };
};

/** Calls under way, by key and by account. */
export type LiveCalls = {
  /**
   * Takes a slot. Returns a function that frees it; repeated calls of that have no effect. Throws 429, and 503 if the
   * server is full.
   */
  enter: (caller: Limited) => Eventual<() => void>;
  /** The number of calls in this process. */
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

/** `places`: the slots shared by all accounts; an account without its own limit gets its fair share. */
export function createLiveCalls(places: Pool): LiveCalls {
  let count = 0;
  return {
    enter: ({ keyId, accountId, maxConcurrent, account }) => {
      const want = {
        holder: { id: keyId, most: maxConcurrent },
        account: { id: accountId, most: account.maxConcurrent },
        amount: 1,
      };
      return whenHere(places.take(want), (refused) => {
        if (refused) {
          switch (refused.by) {
            case "holder":
              throw refusal("key", maxConcurrent);
            case "account":
              throw refusal("account", account.maxConcurrent);
            default:
              throw new GatewayError("unavailable");
          }
        }
        count++;
        let isOver = false;
        return () => {
          if (!isOver) {
            isOver = true;
            count--;
            places.give(want);
          }
        };
      });
    },
    count: () => count,
  };
}
