/** The paths of a settlement to the ledger: tries, retries, and the charges that wait on disk. */
import { findTimeline } from "@/server/db";
import type { BillingDeps } from "../deps";
import type { Escrow } from "../escrow";
import { createFailoverRepair } from "../failover/failover-repair";
import { createRecentCharges } from "../failover/recent-charges";
import { openMonth } from "../months/months";
import { openOutage } from "../outage";
import { createCollector } from "./collector";
import { createPendingCharges } from "./pending-charges";
import { findEntered } from "./recorded-ends";
import { isDrawn, type Settlement, type SettlementOutcome } from "./settlement";
import { createSettler, createTryEnd } from "./settler";

/**
 * `endHold`: ends a call with its own hold. `endOutageCall`: charges one that an outage allowance paid. `patienceMs`: how long an end is
 * retried while the database is away.
 */
export function createSettlementPaths(
  {
    db,
    arrearsDirectory,
    log,
    observe = () => {},
    onArrears = () => {},
    mayLoseCommits = () => false,
    leaseSeconds,
    outage: terms = null,
    storesCharges = false,
  }: BillingDeps & { leaseSeconds: number },
  {
    escrow,
    endHold,
    endOutageCall,
    patienceMs,
  }: {
    escrow: Escrow;
    endHold: (settlement: Settlement) => Promise<SettlementOutcome>;
    endOutageCall: (settlement: Settlement) => Promise<SettlementOutcome>;
    patienceMs: number;
  },
) {
  async function endOutage(settlement: Settlement): Promise<SettlementOutcome> {
    const outcome = await endOutageCall(settlement);
    if (outcome !== "gone") {
      return outcome;
    }
    // Its month may have begun while the database was away.
    await openMonth(db, settlement);
    return await endOutageCall(settlement);
  }
  function end(settlement: Settlement): Promise<SettlementOutcome> {
    if (settlement.part !== undefined) {
      return endOutage(settlement);
    }
    return isDrawn(settlement) ? escrow.draw(settlement) : endHold(settlement);
  }
  const directory = arrearsDirectory ?? null;
  const arrears = createPendingCharges({ directory, log, observe, onCount: onArrears });
  const outage = openOutage({
    ...{ db, leaseSeconds, arrears, directory },
    terms: storesCharges ? terms : null,
  });
  const failover = createFailoverRepair({
    recent: createRecentCharges({ now: escrow.now }),
    readTimeline: () => findTimeline(db),
    mayLose: mayLoseCommits,
    findEntered: (charges) => findEntered(db, charges),
    onFailover: () => {
      escrow.retire();
      outage.doubt();
    },
    chargeAgain: async (charges) => {
      charges.forEach(arrears.keep);
      await collector.collect();
    },
    log,
  });
  const tryEnd = createTryEnd({ end, log, observe, onCharged: failover.note });
  const collector = createCollector({
    ...{ tryEnd, arrears, log, observe },
    isAway: outage.isAway,
    onSettled: ({ requestId, part, charge }, isRefused) => {
      if (part !== undefined) {
        // A refused charge may still be in the database: its part stays used.
        return isRefused ? undefined : outage.settled(requestId);
      }
      return isRefused ? escrow.failed(requestId) : escrow.ended(requestId, charge.amount);
    },
  });
  const settler = createSettler({
    ...{ tryEnd, arrears, close: collector.close, unlessAway: outage.unlessAway },
    ...{ patienceMs, log },
  });
  const { settleSoon, settleNow, collect } = collector;
  return { arrears, outage, failover, settleSoon, settleNow, collect, ...settler };
}
