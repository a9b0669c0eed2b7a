import { createCache } from "@/server/base/cache";
import type { Clock } from "@/server/base/clock";
import type { Log } from "@/server/base/log";
import { type Database, isTransient } from "@/server/db";
import { isDistributed, relaxed } from "@/server/db/handles";
import type { AccountId } from "@/server/domain/ids";
import { openEscrow } from "./escrow";
import { type BatcherFactory, createBatcher, createBatcherPerAccount } from "./holds/batcher";
import { type Freezer, freeze } from "./holds/freeze";
import { type HoldRequest, insertHolds, renewHolds } from "./holds/holds";
import { createLeases } from "./holds/leases";
import { createPendingCharges } from "./holds/pending-charges";
import type { Settlement } from "./holds/settlement";
import { endHolds, sweepHolds } from "./holds/settlements";
import { createSettler } from "./holds/settler";
import { createCeilings } from "./months/ceilings";
import { openPurse, type Payer } from "./months/months";

/** Events for the metrics: what billing repaired, or could not repair. */
type Incident = "late" | "kept" | "lost" | "refused" | "hold_regained" | "hold_refused";

export type BillingDeps = {
  db: Database;
  clock: Clock;
  timeZone: string;
  log: Log;
  leaseSeconds?: number;
  /** The number of charges within two seconds that makes a payer busy. Money is set aside for busy payers. */
  busyCalls?: number;
  /** The directory for charges that wait while the database is away; they survive the process there. */
  arrearsDirectory?: string;
  observe?: (incident: Incident) => void;
  onArrears?: (waiting: number) => void;
  /** Receives the number of holds of dead processes that were returned. */
  onSwept?: (holds: number) => void;
  /** Whether the clock is reliable enough to determine the month. */
  isClockRight?: () => boolean;
  /** Called after each write, with the database's error, or null after a success. */
  onWrite?: (error: unknown) => void;
};

type OpenDeps = BillingDeps & { leaseSeconds: number };

/**
 * How long a capture is retried while the database is away, as a part of a lease: within it, the hold is still ours.
 */
const CAPTURE_PATIENCE = 0.75;

/** Reports a charge that the database refused: the vendor is paid, but the call is not charged. */
const refuserOf =
  ({ log, observe }: Pick<BillingDeps, "log" | "observe">) =>
  (requestId: string, error: unknown): void => {
    // An outage is reported separately.
    if (!isTransient(error)) {
      observe?.("refused");
      log.error({ err: error, requestId }, "a call's charge is refused, and given up");
    }
  };

export type BillingContext = ReturnType<typeof createBillingContext>;

/** Creates the parts that move money in one process, connected to each other. */
export function createBillingContext(deps: OpenDeps) {
  const { db, log, leaseSeconds, observe = () => {}, onArrears = () => {}, onWrite = () => {} } = deps;
  const sweep = async (accountId?: AccountId) => {
    const holds = await sweepHolds(db, leaseSeconds, accountId);
    deps.onSwept?.(holds);
    return holds;
  };
  // For example a figure that no column can hold: it must not fail the rest of its batch.
  const batching = { maxItems: 500, mayDivide: (error: unknown) => !isTransient(error) };
  const batcherOf = isDistributed(db) ? createBatcherPerAccount : createBatcher;
  const batch: BatcherFactory = (run) =>
    batcherOf(async (items) => {
      try {
        const done = await run(items);
        onWrite(null);
        return done;
      } catch (error) {
        onWrite(error);
        throw error;
      }
    }, batching);
  const escrow = openEscrow(deps, batch);
  const holds = batch((requests: HoldRequest[]) =>
    insertHolds(relaxed(db), requests.map(escrow.ask), leaseSeconds),
  );
  const ends = batch((settlements: Settlement[]) => endHolds(db, settlements));
  // Refusals of one account come in bursts. All of them wait for one sweep of its dead holds per second.
  const swept = createCache((accountId: AccountId) => sweep(accountId), {
    maxAgeMs: 1_000,
    maxServedMs: 1_000,
    maxEntries: 10_000,
  });
  const freezer: Freezer = {
    insert: holds.add,
    openMonths: (payer) => openPurse(db, payer),
    reclaim: ({ accountId, keyId }: Payer, whose) =>
      Promise.all([
        swept.get(accountId),
        escrow.recall(whose === "key" ? { accountId, keyId } : { accountId }),
      ]),
  };
  const take = (request: HoldRequest) => freeze(freezer, request);
  const ceilings = createCeilings(deps);
  /** A call that is still running may be in the next window by now, but stays in its own month. */
  async function takeAgain(request: HoldRequest) {
    const { buyer, period } = request;
    const { goesOn: _, ...payer } = buyer ? await ceilings.payerOf(buyer, period) : request;
    return await take({ ...request, ...payer, goesOn: false });
  }
  const leases = createLeases({
    renew: (rows) => renewHolds(relaxed(db), rows, leaseSeconds),
    escrow,
    freeze: takeAgain,
    log,
    observe,
  });
  const arrears = createPendingCharges({
    directory: deps.arrearsDirectory ?? null,
    log,
    observe,
    onCount: onArrears,
  });
  const settler = createSettler({
    end: ({ draw, ...settlement }) => (draw ? escrow.draw({ ...settlement, draw }) : ends.add(settlement)),
    arrears,
    patienceMs: leaseSeconds * 1000 * CAPTURE_PATIENCE,
    log,
    observe,
  });
  return {
    ...freezer,
    ...settler,
    freeze: take,
    ceilings,
    leases,
    escrow,
    arrears,
    log,
    refuse: refuserOf(deps),
    sweep: () => sweep(),
    /** Waits for the statements under way and for writes to disk. */
    idle: () => Promise.all([holds.idle(), ends.idle(), escrow.idle(), arrears.written()]),
  };
}
