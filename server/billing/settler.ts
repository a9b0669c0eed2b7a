import { type Log, OF_MONEY } from "@/server/base/log";
import { persist } from "@/server/base/patience";
import { isTransient } from "@/server/db";
import type { Arrears, DeliveredCharge } from "./arrears";
import type { Settlement, SettlementOutcome } from "./settlements";

/** A charge for what was delivered is written down elsewhere when the database takes longer than this. */
const KEEP_AFTER_MS = 1_000;

/** Ends holds, with patience. Each answers whether the hold has ended in the wanted way, by whatever try. */
export type Settler = {
  /** Throws what the database throws, when it is away for longer than the patience. */
  settle: (settlement: Settlement) => Promise<boolean>;
  /** The same for a call that its client has already: it is charged later when it throws. */
  settleDelivered: (settlement: DeliveredCharge) => Promise<boolean>;
  /** One pass: charges what has been kept, by this process or an earlier one. */
  collect: () => Promise<void>;
};

export function createSettler(deps: {
  end: (settlement: Settlement) => Promise<SettlementOutcome>;
  arrears: Arrears;
  patienceMs: number;
  log: Log;
  observe: (kind: "late" | "lost") => void;
}): Settler {
  const { end, arrears, patienceMs, log, observe } = deps;
  let hasLoaded = false;
  let hasFailedToLoad = false;
  let isCollecting = false;
  const refused = new Set<string>();

  async function tryEnd(settlement: Settlement): Promise<boolean> {
    const isCharge = settlement.charge !== null;
    const first = await end({ ...settlement, ...(isCharge && { late: "released" }) });
    // Ended by a statement that committed while ours waited for it, too late for ours to see how: it shows now. That
    // may be a charge after the release that ours saw; where still nothing shows, the hold is one that a crash of the
    // database took.
    const isUnclear = first === "gone" || (isCharge && first === "release");
    // An escrow that is gone pays for nothing.
    const unseen = { ...settlement, draw: undefined, ...(isCharge && { late: "missing" as const }) };
    const outcome = isUnclear ? await end(unseen) : first;
    if (outcome === "late") {
      observe("late");
      log.warn(
        { ...OF_MONEY, requestId: settlement.requestId },
        "a call was charged after its money had been returned",
      );
    }
    // An earlier try may have committed although its answer was lost.
    return outcome === "ended" || outcome === "late" || outcome === (isCharge ? "capture" : "release");
  }

  const settle = (settlement: Settlement, onDelay = () => {}): Promise<boolean> =>
    persist(
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

  /** What cannot be read from disk keeps nothing waiting that is in memory. */
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
      // A database that is silent fails nothing.
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
