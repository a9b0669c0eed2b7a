import { type Log, OF_MONEY } from "@/server/base/log";
import { type DeliveredCharge, isCharged, type Settlement, type SettlementOutcome } from "./settlement";

/** Tries once to end a hold. Resolves to whether it has ended as wanted, by this or an earlier try. */
export type TryEnd = (settlement: Settlement) => Promise<boolean>;

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

  return async (settlement) => {
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
    const isEnded =
      outcome === "ended" || outcome === "late" || outcome === (isCharge ? "capture" : "release");
    if (isEnded && isCharged(settlement)) {
      onCharged(settlement);
    }
    return isEnded;
  };
}
