import { type Log, OF_MONEY } from "@/server/base/log";
import { retryWhileTransient } from "@/server/base/retry";
import { isTransient } from "@/server/db";
import type { DeliveredCharge, PendingCharges } from "./pending-charges";
import type { Settlement, SettlementOutcome } from "./settlement";

/** If the database takes longer than this, the charge of a delivered call is also written to disk. */
const KEEP_AFTER_MS = 1_000;

/** Ends holds, with retries. Each function returns whether the hold has ended as wanted, by any attempt. */
export type Settler = {
  /** Throws the database's error if the database is away for longer than the patience. */
  settle: (settlement: Settlement) => Promise<boolean>;
  /** The same for a call that the client has already: if it throws, the call is charged later. */
  settleDelivered: (settlement: DeliveredCharge) => Promise<boolean>;
  /** Charges the kept charges of this process and of earlier ones, once. */
  collect: () => Promise<void>;
};

export function createSettler(deps: {
  end: (settlement: Settlement) => Promise<SettlementOutcome>;
  arrears: PendingCharges;
  patienceMs: number;
  log: Log;
  observe: (kind: "late" | "lost") => void;
}): Settler {
  const { end, arrears, patienceMs, log, observe } = deps;
  let hasLoaded = false;
  let hasFailedToLoad = false;
  let isCollecting = false;
  const refused = new Set<string>();

  /**
   * A statement that committed while the first one waited for it may have ended the call, too late to be seen by the
   * first. A second one sees it, including a charge after the release that the first saw. If it still finds nothing, a
   * crash of the database took the hold.
   */
  function endAgain(settlement: Settlement): Promise<SettlementOutcome> {
    // A missing escrow pays for nothing.
    return end({ ...settlement, draw: undefined, ...(settlement.charge !== null && { late: "missing" }) });
  }

  async function tryEnd(settlement: Settlement): Promise<boolean> {
    const isCharge = settlement.charge !== null;
    const first = await end({ ...settlement, ...(isCharge && { late: "released" }) });
    const isUnclear = first === "gone" || (isCharge && first === "release");
    const outcome = isUnclear ? await endAgain(settlement) : first;
    if (outcome === "late") {
      observe("late");
      log.warn(
        { ...OF_MONEY, requestId: settlement.requestId },
        "a call was charged after its money had been returned",
      );
    }
    // An earlier attempt may have committed although its answer was lost.
    return outcome === "ended" || outcome === "late" || outcome === (isCharge ? "capture" : "release");
  }

  const settle = (settlement: Settlement, onDelay = () => {}): Promise<boolean> =>
    retryWhileTransient(
      () => tryEnd(settlement),
      patienceMs,
      (error) => {
        onDelay();
        log.warn({ err: error, requestId: settlement.requestId }, "a try to settle failed");
      },
    );

  function close(settlement: DeliveredCharge, isCharged: boolean): void {
    if (!isCharged) {
      observe("lost");
      log.error({ requestId: settlement.requestId }, "a delivered call is not charged: it had been released");
    }
    arrears.drop(settlement.requestId);
  }

  async function collectOne(settlement: DeliveredCharge): Promise<void> {
    try {
      close(settlement, await tryEnd(settlement));
    } catch (error) {
      const { requestId } = settlement;
      if (!isTransient(error) && !refused.has(requestId)) {
        refused.add(requestId);
        log.error({ err: error, requestId }, "a delivered call's charge is refused by the database");
      }
    }
  }

  /** A failure to read the disk must not delay charges in memory. */
  async function load(): Promise<void> {
    try {
      hasLoaded = await arrears.load();
    } catch (error) {
      if (!hasFailedToLoad) {
        log.error({ err: error }, "kept charges cannot be read");
      }
      hasFailedToLoad = true;
    }
  }

  return {
    settle: (settlement) => settle(settlement),
    settleDelivered: async (settlement) => {
      const keep = () => arrears.keep(settlement);
      // A silent database produces no error, so a timer starts the write.
      const isLong = setTimeout(keep, KEEP_AFTER_MS);
      try {
        const isCharged = await settle(settlement, keep);
        close(settlement, isCharged);
        return isCharged;
      } finally {
        clearTimeout(isLong);
      }
    },
    collect: async () => {
      if (isCollecting) {
        return;
      }
      isCollecting = true;
      try {
        if (!hasLoaded) {
          await load();
        }
        await Promise.all(arrears.waiting().map(collectOne));
      } finally {
        isCollecting = false;
      }
    },
  };
}
