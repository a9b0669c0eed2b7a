import { GatewayError } from "@/server/base/errors";
import type { Pool } from "@/server/base/shares";

/** Whose call it is, and how many its owner and the operator allow at a time. null: nobody has said. */
export type Limited = {
  keyId: string;
  accountId: string;
  maxConcurrent: number | null;
  account: { maxConcurrent: number | null };
};

/** Calls under way, by key and by account. */
export type LiveCalls = {
  /**
   * Takes a place. Answers what gives it back, once however often it is called. Throws 429, and 503 of a full server.
   */
  enter: (caller: Limited) => Promise<() => void>;
  /** Of this process. */
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

/** `places`: those of all that share them; an account without a limit of its own gets its fair share. */
export function createLiveCalls(places: Pool): LiveCalls {
  let taken = 0;
  return {
    enter: async ({ keyId, accountId, maxConcurrent, account }) => {
      const want = {
        holder: { id: keyId, most: maxConcurrent },
        account: { id: accountId, most: account.maxConcurrent },
        amount: 1,
      };
      const refused = await places.take(want);
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
      taken++;
      let isOver = false;
      return () => {
        if (!isOver) {
          isOver = true;
          taken--;
          places.give(want);
        }
      };
    },
    count: () => taken,
  };
}
