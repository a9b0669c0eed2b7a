import { setTimeout as sleep } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import type { Database } from "@/server/db";
import { relaxed, sqlOf } from "@/server/db/handles";
import type { AccountId, KeyId } from "@/server/domain/ids";
import { findUnusedEscrows, type Recall } from "./folds";

const CHANNEL = "tollgate_recalls";

/** Time for another process to receive a recall and to answer. A process that takes longer counts as dead. */
const RECALL_MS = 400;
const LOOK_MS = 10;
/** A process that has set money aside since the last notice must receive the next one. */
const CALL_EVERY = 5;

/** The commit of a notice does not wait for the disk; otherwise other commits would wait with it. */
const tell = async (db: Database, payload: string) =>
  await sqlOf(relaxed(db))`select pg_notify(${CHANNEL}, ${payload})`;

/** The text of a notice. Identifiers contain no spaces. */
const toText = ({ accountId, keyId = "" as KeyId }: Recall) => `${accountId} ${keyId}`;
function fromText(text: string): Recall {
  const [accountId = "", keyId = ""] = text.split(" ");
  return { accountId: accountId as AccountId, keyId: keyId === "" ? undefined : (keyId as KeyId) };
}

/**
 * Makes the other processes return the money that they have set aside for an account, or one of its keys, and that no
 * call has taken. Waits for it, but only briefly. Returns the escrows that remain. `processId`: the calling process,
 * which has returned its own already. `isSilent`: escrows of processes that do not answer, which are not waited for. Do
 * not call it within a transaction: the notice is sent only at its commit.
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

/** How long an escrow of a silent process is not waited for again. */
const UNANSWERED_MS = 1_000;
const MAX_UNANSWERED = 10_000;

/** A process that has not received its own notice for this long receives none. */
const HEARD_MS = 3_000;

/**
 * Recalls between processes. It listens only after the first call of `areHeard`. A connection may break silently, and a
 * pooler may swallow notices, so a process sends itself a notice once a second.
 */
export function createReclaims(
  db: Database,
  deps: {
    processId: string;
    now: () => number;
    onRecall: (recall: Recall) => Promise<void>;
    /** A recall may have been missed. */
    onGap: () => void;
    /** Whether the database is away and this process serves without it: no other process on it can recall anything. */
    isAway: () => boolean;
  },
): {
  areHeard: () => boolean;
  /** To be called every second. `isNeeded`: money is set aside that other processes may recall. */
  check: (isNeeded: boolean) => Promise<void>;
  /**
   * Recalls money. Identical recalls under way share one run. When it ends, nothing is left, or a process did not
   * answer.
   */
  ask: (recall: Recall) => Promise<void>;
  stop: () => Promise<void>;
} {
  const { processId, now, onRecall, onGap, isAway } = deps;
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
  /** Called once: the driver retries by itself, and a second call would deliver each notice twice. */
  async function listen(): Promise<{ unlisten: () => Promise<void> } | null> {
    try {
      const begun = await sqlOf(db).listen(CHANNEL, hear, miss);
      // If it fails, the next check sends it again.
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
      if (isAway()) {
        return;
      }
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
