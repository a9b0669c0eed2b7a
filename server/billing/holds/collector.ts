import type { Eventual } from "@/server/base/eventual";
import type { Log } from "@/server/base/log";
import { isTransient } from "@/server/db";
import type { PendingCharges } from "./pending-charges";
import type { DeliveredCharge, TryEnd } from "./settlement";

/** How long charges on disk wait for others, to reach the ledger in one statement. */
const SETTLE_AFTER_MS = 200;

/** Brings the charges that the ledger does not have yet into it. */
export type Collector = {
  /** Resolves once the charge is on disk; the ledger has it soon after. Throws if the disk does not take it. */
  settleSoon: (charge: DeliveredCharge) => Promise<void>;
  /** Brings what is on disk into the ledger, without waiting for more. A charge that fails is kept. */
  settleNow: () => Promise<void>;
  /** Tries the kept charges of this process and of ended ones, once. Runs at the same time share one. */
  collect: () => Promise<void>;
  /** The call is charged, or never will be. */
  close: (requestId: string, isCharged: boolean) => void;
};

export function createCollector(deps: {
  tryEnd: TryEnd;
  arrears: PendingCharges;
  log: Log;
  observe: (kind: "lost") => void;
  /** Whether the database is away for sure: then charges only wait. */
  isAway: () => boolean;
  /** Called when the ledger has a charge, or never will, or refuses it (`isRefused`). */
  onSettled: (charge: DeliveredCharge, isRefused: boolean) => Eventual<void>;
}): Collector {
  const { tryEnd, arrears, log, observe, isAway, onSettled } = deps;
  const refused = new Set<string>();
  let hasFailedToLoad = false;
  let collecting: Promise<void> | null = null;
  /** The charges on disk that were not tried yet, the timer that tries them, and the rounds under way. */
  let stored: DeliveredCharge[] = [];
  let timer: NodeJS.Timeout | undefined;
  const rounds = new Set<Promise<unknown>>();

  function close(requestId: string, isCharged: boolean): void {
    if (!isCharged) {
      observe("lost");
      log.error({ requestId }, "a delivered call is not charged: it had been released");
    }
    arrears.drop(requestId);
  }

  const collectOne = (charge: DeliveredCharge): Promise<void> =>
    tryEnd(charge).then(
      (isCharged) => {
        close(charge.requestId, isCharged);
        return onSettled(charge, false);
      },
      (error: unknown) => {
        const { requestId } = charge;
        arrears.keep(charge);
        if (isTransient(error) || refused.has(requestId)) {
          return;
        }
        refused.add(requestId);
        log.error({ err: error, requestId }, "a delivered call's charge is refused by the database");
        return onSettled(charge, true);
      },
    );

  async function settleNow(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    if (isAway()) {
      stored.splice(0).forEach(arrears.keep);
      return;
    }
    const round = Promise.all(stored.map(collectOne)).finally(() => rounds.delete(round));
    rounds.add(round);
    stored = [];
    await Promise.all(rounds);
  }

  /** Returns whether no more charges of ended processes can be read. A failure must not delay charges in memory. */
  async function load(): Promise<boolean> {
    try {
      return await arrears.load();
    } catch (error) {
      if (!hasFailedToLoad) {
        log.error({ err: error }, "kept charges cannot be read");
      }
      hasFailedToLoad = true;
      return true;
    }
  }

  /** Goes on while there is more to read and the database takes some. */
  async function collectAll(): Promise<void> {
    for (let isOver = false; !isOver; ) {
      const isAll = await load();
      const charges = arrears.waiting();
      await Promise.all(charges.map(collectOne));
      isOver = isAll || arrears.waiting().length >= charges.length;
    }
  }

  return {
    settleSoon: (charge) =>
      arrears.store(charge).then(() => {
        stored.push(charge);
        timer ??= setTimeout(settleNow, SETTLE_AFTER_MS);
      }),
    settleNow,
    collect: async () => {
      if (isAway()) {
        return;
      }
      collecting ??= collectAll().finally(() => {
        collecting = null;
      });
      await collecting;
    },
    close,
  };
}
