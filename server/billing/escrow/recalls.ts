import { setTimeout as sleep } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import type { AccountId } from "@/server/base/ids";
import type { Database } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import { hasUnusedEscrow } from "./folds";

const CHANNEL = "tollgate_recalls";

/** What another process needs to hear of it and to answer. One that does not is dead, or as good as. */
const RECALL_MS = 400;
const LOOK_MS = 10;
/** Who has set money aside since the last call must hear of the next one. */
const CALL_EVERY = 5;

/**
 * Has the processes give back what they have set aside for an account and no call of theirs has taken; waits for it,
 * but not for long. Answers whether nothing is left. `processId`: who asks and has given back already. Not within a
 * transaction: nobody hears of it before that has committed.
 */
export async function recallEscrows(
  db: Database,
  { accountId, processId = "" }: { accountId: AccountId; processId?: string },
): Promise<boolean> {
  const deadline = Date.now() + RECALL_MS;
  for (let look = 0; await hasUnusedEscrow(db, { accountId, processId }); look++) {
    if (Date.now() >= deadline) {
      return false;
    }
    if (look % CALL_EVERY === 0) {
      await sqlOf(db)`select pg_notify(${CHANNEL}, ${accountId})`;
    }
    await sleep(LOOK_MS);
  }
  return true;
}

/** For so long nobody waits again for a process that has not answered. */
const UNANSWERED_MS = 1_000;
const MAX_UNANSWERED = 10_000;

/** What other processes call back. Nothing is listened to before somebody asks whether they are heard. */
export function createRecalls(
  db: Database,
  handlers: {
    onRecall: (accountId: AccountId) => Promise<void>;
    /** A call may have been missed. */
    onGap: () => void;
  },
): {
  areHeard: () => boolean;
  /** Once for all who ask of one account while it is under way: when it ends nothing is left, or somebody is silent. */
  ask: (recall: { accountId: AccountId; processId: string }) => Promise<void>;
  stop: () => Promise<void>;
} {
  const asking = new Map<AccountId, Promise<void>>();
  const unanswered = new LRUCache<AccountId, true>({ max: MAX_UNANSWERED, ttl: UNANSWERED_MS });
  async function recall(asked: { accountId: AccountId; processId: string }): Promise<void> {
    if (!(await recallEscrows(db, asked))) {
      unanswered.set(asked.accountId, true);
    }
  }
  let subscription: Promise<{ unlisten: () => Promise<void> } | null> | null = null;
  let areHeard = false;
  const listen = () =>
    sqlOf(db)
      .listen(CHANNEL, (payload) => void handlers.onRecall(payload as AccountId), handlers.onGap)
      .then(
        (begun) => {
          areHeard = true;
          return begun;
        },
        () => {
          subscription = null;
          return null;
        },
      );
  return {
    areHeard: () => {
      subscription ??= listen();
      return areHeard;
    },
    ask: async (asked) => {
      const { accountId } = asked;
      if (unanswered.has(accountId)) {
        return;
      }
      const answer = asking.get(accountId) ?? recall(asked).finally(() => asking.delete(accountId));
      asking.set(accountId, answer);
      await answer;
    },
    stop: async () => await (await subscription)?.unlisten(),
  };
}
