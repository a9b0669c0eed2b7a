/**
 * Escrow: money that a process sets aside durably for a busy payer's calls of the next seconds, so that a hold is a
 * subtraction in memory and a charge is one statement that locks no month. Hides which payers are busy, the rest of
 * each escrow, how escrows are folded into their months, and how they are recalled before a call is refused for lack of
 * money.
 */

import { LRUCache } from "lru-cache";
import { createStopwatch } from "@/server/base/clock";
import type { Eventual } from "@/server/base/eventual";
import type { Nanos } from "@/server/base/money";
import { isTransient } from "@/server/db";
import { relaxed } from "@/server/db/handles";
import { newId } from "@/server/domain/ids";
import type { BillingDeps } from "../deps";
import type { BatcherFactory } from "../holds/batcher";
import type { HoldRequest } from "../holds/holds";
import type { SettlementOutcome } from "../holds/settlement";
import type { Draw } from "./draw-sums";
import { drawOnEscrows } from "./draws";
import { type Fold, foldEscrows, type Recall } from "./folds";
import { createGrants } from "./grants";
import { createReclaims } from "./reclaims";
import { createTranches } from "./tranches";

export { recallEscrows } from "./reclaims";

/**
 * How long after its lease was requested an escrow may be used, as a part of the lease: within it, no other process
 * owns the row.
 */
const USABLE = 0.75;

/** How long nothing is set aside for an account, or a key, after a recall. */
const PAUSE_MS = 1_000;
const MAX_RECALLED = 10_000;

export type Escrow = ReturnType<typeof openEscrow>;

export function openEscrow(
  deps: Pick<BillingDeps, "db" | "log" | "busyCalls" | "storesCharges" | "outage"> & { leaseSeconds: number },
  batch: BatcherFactory,
) {
  const { db, log, leaseSeconds, busyCalls } = deps;
  const processId = newId("proc");
  const now = createStopwatch();
  const tranches = createTranches({ usableMs: leaseSeconds * 1000 * USABLE, now });

  /**
   * Accounts and keys that were recalled lately. Nothing is set aside for them, so that a caller who waits for the
   * money gets it.
   */
  const recalled = new LRUCache<string, true>({ max: MAX_RECALLED, ttl: PAUSE_MS });

  /** Adds charges to their months and returns unneeded money: of the recalled escrows, or of all. */
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
  const recalls = createReclaims(db, {
    ...{ processId, now, onRecall: giveBack, onGap: () => tranches.retire() },
    isAway: () => deps.outage?.absence.mayServe() ?? false,
  });
  async function draw(settlements: Draw[]): Promise<SettlementOutcome[]> {
    const sentAt = now();
    try {
      const outcomes = await drawOnEscrows(db, settlements, { inUseOf: tranches.inUse, leaseSeconds });
      const drawn = settlements.filter((_, index) => outcomes[index] === "ended");
      tranches.renewed(
        drawn.map((settlement) => settlement.draw.escrowId),
        sentAt,
      );
      return outcomes;
    } catch (error) {
      if (isTransient(error) && !deps.storesCharges) {
        // While the database is away, no call is sold that might not be charged. A charge on disk is sure.
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
    /**
     * Records a charged call. If the charge exceeds the escrow, the month is updated now, so that the next call cannot
     * spend that money.
     */
    ended: (requestId: string, charge: Nanos): Eventual<void> => {
      const overdrawn = grants.ended(requestId, charge);
      return overdrawn ? tryToFold({ accountId: overdrawn.accountId, keyId: overdrawn.keyId }) : undefined;
    },
    /** Tests, once a second, whether this process receives recalls of others. */
    check: () => recalls.check(rows().length > 0),
    /** Prepares a request for the database: drops its escrow if the account's money was recalled since. */
    ask: (request: HoldRequest): HoldRequest =>
      request.escrow && !mayAsk(request) ? { ...request, escrow: undefined } : request,
    draw: draws.add,
    idle: draws.idle,
    /** Returns an escrow that was granted too late to be used. */
    returnUnused: (unused: Omit<Fold, "keep">) => foldEscrows(relaxed(db), [{ ...unused, keep: null }]),
    /** Makes all processes, this one first, return the money that they have set aside and do not use. */
    recall: async (recall: Recall) => {
      await giveBack(recall);
      await recalls.ask(recall);
      // Also returns escrows that were being granted when the recall began.
      await giveBack(recall);
    },
    unwatch: recalls.stop,
  };
}
