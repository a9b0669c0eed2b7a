import { systemTimers } from "@/server/base/clock";
import { withinMs } from "@/server/base/deadline";
import { type Log, OF_MONEY } from "@/server/base/log";
import { retryWhileTransient } from "@/server/base/retry";
import { type Absence, isTransient } from "@/server/db";
import type { Collector } from "./collector";
import type { PendingCharges } from "./pending-charges";
import {
  type DeliveredCharge,
  isCharged,
  type Settlement,
  type SettlementOutcome,
  type TryEnd,
} from "./settlement";

export function createTryEnd({
  end,
  log,
  observe,
  onCharged,
}: {
  end: (settlement: Settlement) => Promise<SettlementOutcome>;
  log: Log;
  observe: (kind: "late") => void;
  /** Called when the database has confirmed a charge. */
  onCharged: (charge: DeliveredCharge) => void;
}): TryEnd {
  /**
   * A statement that committed while the first one waited for it may have ended the call, too late to be seen by the
   * first. A second one sees it, including a charge after the release that the first saw. If it still finds nothing, a
   * crash of the database took the hold.
   */
  function endAgain(settlement: Settlement): Promise<SettlementOutcome> {
    // A missing escrow pays for nothing.
    return end({ ...settlement, draw: undefined, ...(settlement.charge !== null && { late: "missing" }) });
  }

  /** Returns whether the call has ended as wanted. */
  function judge(settlement: Settlement, outcome: SettlementOutcome): boolean {
    if (outcome === "late") {
      observe("late");
      log.warn(
        { ...OF_MONEY, requestId: settlement.requestId },
        "a call was charged after its money had been returned",
      );
    }
    // An earlier attempt may have committed although its answer was lost.
    const usual = settlement.charge === null ? "release" : "capture";
    const isEnded = outcome === "ended" || outcome === "late" || outcome === usual;
    if (isEnded && isCharged(settlement)) {
      onCharged(settlement);
    }
    return isEnded;
  }

  return (settlement) => {
    const isCharge = settlement.charge !== null;
    return end({ ...settlement, ...(isCharge && { late: "released" }) }).then((outcome) =>
      outcome === "gone" || (isCharge && outcome === "release")
        ? endAgain(settlement).then((last) => judge(settlement, last))
        : judge(settlement, outcome),
    );
  };
}

/** If the database takes longer than this, the charge of a delivered call is also written to disk. */
const KEEP_AFTER_MS = 1_000;

/** Ends holds, with retries. Each function returns whether the hold has ended as wanted, by any attempt. */
export type Settler = {
  /**
   * Without a retry. null: the database is away, refuses it for now, or does not answer soon. Throws another error of the
   * database; a call that the client has already is charged later then, too.
   */
  tryOnce: (settlement: DeliveredCharge, how: { isDelivered: boolean }) => Promise<boolean | null>;
  /** Throws the database's error if the database is away for longer than the patience. */
  settle: (settlement: Settlement) => Promise<boolean>;
  /** As `settle`. If the client has the answer already and it throws, the call is charged later. */
  settleCharge: (settlement: DeliveredCharge, how: { isDelivered: boolean }) => Promise<boolean>;
};

export function createSettler(deps: {
  tryEnd: TryEnd;
  arrears: PendingCharges;
  close: Collector["close"];
  unlessAway: Absence["unlessAway"];
  patienceMs: number;
  log: Log;
}): Settler {
  const { tryEnd, arrears, unlessAway, patienceMs, log } = deps;

  const settle = (settlement: Settlement, onDelay = () => {}): Promise<boolean> =>
    retryWhileTransient(
      () => tryEnd(settlement),
      patienceMs,
      (error) => {
        onDelay();
        log.warn({ err: error, requestId: settlement.requestId }, "a try to settle failed");
      },
    );

  return {
    tryOnce: async (settlement, { isDelivered }) => {
      try {
        return await withinMs(unlessAway(tryEnd(settlement)), KEEP_AFTER_MS);
      } catch (error) {
        if (isTransient(error)) {
          return null;
        }
        if (isDelivered) {
          arrears.keep(settlement);
        }
        throw error;
      }
    },
    settle: (settlement) => settle(settlement),
    settleCharge: (settlement, { isDelivered }) => {
      if (!isDelivered) {
        return settle(settlement);
      }
      const keep = () => arrears.keep(settlement);
      // A silent database produces no error, so a timer starts the write.
      const stopTimer = systemTimers.deadline(KEEP_AFTER_MS, keep);
      return settle(settlement, keep).then(
        (isCharged) => {
          stopTimer();
          deps.close(settlement.requestId, isCharged);
          return isCharged;
        },
        (error: unknown) => {
          stopTimer();
          throw error;
        },
      );
    },
  };
}
