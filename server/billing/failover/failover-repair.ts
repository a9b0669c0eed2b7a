/**
 * A failover to an asynchronous standby loses the last commits. Their charges are made again, out of the memory of the
 * processes that made them: answers that clients have stay paid.
 */
import { type Log, OF_MONEY } from "@/server/base/log";
import type { DeliveredCharge } from "../holds/settlement";
import { KEEP_MS, type RecentCharges } from "./recent-charges";

/** Calls in one question to the ledger, and in one repair. */
const SLICE = 500;

export type FailoverRepair = {
  /** The database has confirmed the charge. */
  note: (charge: DeliveredCharge) => void;
  /** Compares the last charges with the ledger if the database has failed over since the last check. Does not throw. */
  check: () => Promise<void>;
};

export function createFailoverRepair(deps: {
  recent: RecentCharges;
  /** The history that the database goes on with; null: it does not say. Throws if it does not answer. */
  readTimeline: () => Promise<string | null>;
  /** Whether a failover can lose what the database has confirmed. */
  mayLose: () => boolean;
  /** Finds the charges that the ledger already has. */
  findEntered: (charges: DeliveredCharge[]) => Promise<Set<DeliveredCharge>>;
  /** Closes the escrows: after the failover, their money may not be frozen any more. */
  onFailover: () => void;
  /** Charges the calls late. Resolves when each is in the ledger or waits for the database. */
  chargeAgain: (charges: DeliveredCharge[]) => Promise<void>;
  log: Log;
}): FailoverRepair {
  const { recent, log } = deps;
  let lastTimeline: string | null = null;
  let isChecking = false;

  /** In slices, because only so many charges can wait for the database. */
  async function repair(): Promise<void> {
    deps.onFailover();
    const charges = recent.all();
    let missing = 0;
    for (let start = 0; start < charges.length; start += SLICE) {
      const slice = charges.slice(start, start + SLICE);
      const entered = await deps.findEntered(slice);
      const lost = slice.filter((charge) => !entered.has(charge));
      if (lost.length > 0) {
        missing += lost.length;
        await deps.chargeAgain(lost);
      }
    }
    log[missing > 0 ? "error" : "warn"](
      { ...OF_MONEY, compared: charges.length, missing, seconds: KEEP_MS / 1_000 },
      "the database failed over: the last charges were compared with the ledger, and missing ones are made again",
    );
  }

  return {
    note: (charge) => {
      if (deps.mayLose()) {
        recent.note(charge);
      }
    },
    check: async () => {
      if (isChecking || !(deps.mayLose() || recent.all().length > 0)) {
        return;
      }
      isChecking = true;
      try {
        const timeline = await deps.readTimeline();
        if (timeline !== null && lastTimeline !== null && timeline !== lastTimeline) {
          await repair();
        }
        recent.forgetOld();
        lastTimeline = timeline ?? lastTimeline;
      } catch (error) {
        // It is away, or just failing over: the next check compares.
        log.debug({ err: error }, "the database does not say whether it failed over");
      } finally {
        isChecking = false;
      }
    },
  };
}
