/**
 * Escrow: money that a process sets aside durably for a busy payer's calls of the next seconds, so that a hold is a
 * subtraction in memory and a charge one statement that locks no month. Hides who is busy, what is left of what, how
 * it is folded into its month, and how it is called back before anybody is refused for it.
 */
import { LRUCache } from "lru-cache";
import { createStopwatch } from "@/server/base/clock";
import { newId } from "@/server/base/ids";
import type { Log } from "@/server/base/log";
import type { Nanos } from "@/server/base/money";
import { type Database, isTransient } from "@/server/db";
import { relaxed } from "@/server/db/handles";
import type { Batch } from "../batcher";
import type { HoldRequest } from "../holds";
import type { SettlementOutcome } from "../settlements";
import { type Draw, drawOnEscrows } from "./draws";
import { type Fold, foldEscrows, type Recall } from "./folds";
import { createGrants } from "./grants";
import { createRecalls } from "./recalls";
import { createTranches } from "./tranches";

export { recallEscrows } from "./recalls";

/** How long a lease that was asked for may be granted from, as a part of it: so nobody else has the row. */
const USABLE = 0.75;

/** How long nothing is set aside for an account, or a key, after somebody has called it back. */
const PAUSE_MS = 1_000;
const MAX_RECALLED = 10_000;

export type Escrow = ReturnType<typeof openEscrow>;

export function openEscrow(
  deps: { db: Database; log: Log; leaseSeconds: number; busyCalls?: number },
  batch: Batch,
) {
  const { db, log, leaseSeconds, busyCalls } = deps;
  const processId = newId("proc");
  const now = createStopwatch();
  const tranches = createTranches({ usableMs: leaseSeconds * 1000 * USABLE, now });

  /** Accounts and keys for which nothing is set aside anew, lest it be done while somebody waits for it to come back. */
  const recalled = new LRUCache<string, true>({ max: MAX_RECALLED, ttl: PAUSE_MS });

  /** Tells months what was charged, and returns what is not needed any more: of what is called back, or of all. */
  async function fold(recall?: Recall): Promise<void> {
    const folds = tranches.folds(recall);
    if (folds.length > 0) {
      await foldEscrows(relaxed(db), folds);
      folds.forEach(tranches.folded);
    }
  }
  const tryToFold = async (recall: Recall) =>
    await fold(recall).catch((error: unknown) => log.warn({ err: error }, "an escrow is folded later"));
  async function giveBack(recall: Recall): Promise<void> {
    recalled.set(recall.keyId ?? recall.accountId, true);
    tranches.retire(recall);
    await tryToFold(recall);
  }
  const recalls = createRecalls(db, { processId, now, onRecall: giveBack, onGap: () => tranches.retire() });
  async function draw(asked: Draw[]): Promise<SettlementOutcome[]> {
    const sentAt = now();
    try {
      const outcomes = await drawOnEscrows(db, asked, { inUseOf: tranches.inUse, leaseSeconds });
      const drawn = asked.filter((_, index) => outcomes[index] === "ended");
      tranches.renewed(
        drawn.map((one) => one.draw.escrowId),
        sentAt,
      );
      return outcomes;
    } catch (error) {
      if (isTransient(error)) {
        // While the database is away nothing is sold that may not be charged.
        tranches.retire();
      }
      throw error;
    }
  }
  const draws = batch(draw);
  const mayAsk = ({ accountId, keyId }: HoldRequest) =>
    recalls.areHeard() && !recalled.has(accountId) && !recalled.has(keyId);
  const grants = createGrants({ processId, tranches, now, busyCalls, mayAsk });
  const { rows, renewed, lost, retire } = tranches;
  return {
    ...grants,
    ...{ rows, renewed, lost, retire, now, fold },
    /** The call was charged. What it took beyond the escrow, its month learns now: the next call cannot have that money. */
    ended: async (requestId: string, charge: Nanos) => {
      const overdrawn = grants.ended(requestId, charge);
      if (overdrawn) {
        await tryToFold({ accountId: overdrawn.accountId, keyId: overdrawn.keyId });
      }
    },
    /** Tries out, once a second, whether others are heard who call something back. */
    check: () => recalls.check(rows().length > 0),
    /** What is asked of the database, by now: not for an escrow, where somebody has called the account's back since. */
    ask: (request: HoldRequest): HoldRequest =>
      request.escrow && !mayAsk(request) ? { ...request, escrow: undefined } : request,
    draw: draws.add,
    idle: draws.idle,
    /** Returns an escrow that came too late to be used. */
    returnUnused: (unused: Omit<Fold, "keep">) => foldEscrows(relaxed(db), [{ ...unused, keep: null }]),
    /** Has all processes, this one first, give back what they have set aside and is not in use. */
    recall: async (recall: Recall) => {
      await giveBack(recall);
      await recalls.ask(recall);
      // What was being granted when it began.
      await giveBack(recall);
    },
    unwatch: recalls.stop,
  };
}
