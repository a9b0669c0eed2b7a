import { setTimeout as sleep } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import type { AccountId, KeyId } from "@/server/base/ids";
import type { Database } from "@/server/db";
import { relaxed, sqlOf } from "@/server/db/handles";
import { findUnusedEscrows, type Recall } from "./folds";

const CHANNEL = "tollgate_recalls";

/** What another process needs to hear of it and to answer. One that does not is dead, or as good as. */
const RECALL_MS = 400;
const LOOK_MS = 10;
/** Who has set money aside since the last call must hear of the next one. */
const CALL_EVERY = 5;

/** A commit that tells somebody something waits for no disk: others that do the same would wait with it. */
const tell = async (db: Database, payload: string) =>
  await sqlOf(relaxed(db))`select pg_notify(${CHANNEL}, ${payload})`;

/** As it is told to all: no identifier has a space in it. */
const toText = ({ accountId, keyId = "" as KeyId }: Recall) => `${accountId} ${keyId}`;
function fromText(text: string): Recall {
  const [accountId = "", keyId = ""] = text.split(" ");
  return { accountId: accountId as AccountId, keyId: keyId === "" ? undefined : (keyId as KeyId) };
}

/**
 * Has the processes give back what they have set aside for an account, or one key of it, and no call of theirs has
 * taken; waits for it, but not for long. Answers what is left. `processId`: the process that asks, which has given back
 * already. `isSilent`: nobody waits for the answer. Not within a transaction: the others hear of it after its commit only.
 */
export async function recallEscrows(
  db: Database,
  recall: Recall,
  {
    processId = "",
    isSilent = () => false,
  }: { processId?: string; isSilent?: (escrowId: string) => boolean } = {},
): Promise<string[]> {
  const look = async () =>
    (await findUnusedEscrows(db, { ...recall, processId })).filter((id) => !isSilent(id));
  let unused = await look();
  const deadline = performance.now() + RECALL_MS;
  for (let looks = 0; unused.length > 0 && performance.now() < deadline; looks++) {
    if (looks % CALL_EVERY === 0) {
      await tell(db, toText(recall));
    }
    await sleep(LOOK_MS);
    unused = await look();
  }
  return unused;
}

/** For so long nobody waits again for an escrow whose process has not answered. */
const UNANSWERED_MS = 1_000;
const MAX_UNANSWERED = 10_000;

/** A process that has not heard itself for so long hears nobody. */
const HEARD_MS = 3_000;

/**
 * What other processes call back. Nothing is listened to before somebody asks whether they are heard. A connection
 * may be gone without a word, and a pooler may swallow what is listened to: so a process calls itself once a second.
 */
export function createRecalls(
  db: Database,
  deps: {
    processId: string;
    now: () => number;
    onRecall: (recall: Recall) => Promise<void>;
    /** A call may have been missed. */
    onGap: () => void;
  },
): {
  areHeard: () => boolean;
  /** To be called every second. `isNeeded`: something is set aside, which others may call back. */
  check: (isNeeded: boolean) => Promise<void>;
  /** Once for all who ask the same while it is under way: when it ends nothing is left, or somebody is silent. */
  ask: (recall: Recall) => Promise<void>;
  stop: () => Promise<void>;
} {
  const { processId, now, onRecall, onGap } = deps;
  const asking = new Map<string, Promise<void>>();
  const unanswered = new LRUCache<string, true>({ max: MAX_UNANSWERED, ttl: UNANSWERED_MS });
  const isSilent = (escrowId: string) => unanswered.has(escrowId);
  async function ask(recall: Recall): Promise<void> {
    for (const escrowId of await recallEscrows(db, recall, { processId, isSilent })) {
      unanswered.set(escrowId, true);
    }
  }

  let subscription: Promise<{ unlisten: () => Promise<void> } | null> | null = null;
  let heardAt: number | null = null;
  let isWanted = false;
  const areHeard = () => heardAt !== null && now() - heardAt < HEARD_MS;
  function hear(payload: string): void {
    if (payload === processId) {
      heardAt = now();
    } else if (!payload.startsWith("proc_")) {
      void onRecall(fromText(payload));
    }
  }
  function miss(): void {
    heardAt = null;
    onGap();
  }
  /** Once: the driver goes on trying by itself, and would hear each call as often as it was asked to. */
  async function listen(): Promise<{ unlisten: () => Promise<void> } | null> {
    try {
      const begun = await sqlOf(db).listen(CHANNEL, hear, miss);
      // Where it fails, the next check says it again.
      tell(db, processId).catch(() => {});
      return begun;
    } catch {
      return null;
    }
  }
  return {
    areHeard: () => {
      isWanted = true;
      subscription ??= listen();
      return areHeard();
    },
    check: async (isNeeded) => {
      if (!isNeeded && !isWanted) {
        return;
      }
      isWanted = false;
      if (!areHeard()) {
        onGap();
      }
      subscription ??= listen();
      await tell(db, processId);
    },
    ask: async (recall) => {
      const text = toText(recall);
      const answer = asking.get(text) ?? ask(recall).finally(() => asking.delete(text));
      asking.set(text, answer);
      await answer;
    },
    stop: async () => await (await subscription)?.unlisten(),
  };
}
