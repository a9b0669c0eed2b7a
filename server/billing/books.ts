import { createCache } from "@/server/base/cache";
import type { Clock } from "@/server/base/clock";
import type { AccountId } from "@/server/base/ids";
import type { Log } from "@/server/base/log";
import { type Database, isTransient } from "@/server/db";
import { isDistributed, relaxed } from "@/server/db/handles";
import { createArrears } from "./arrears";
import { type Batch, createBatcher, createBatcherPerAccount } from "./batcher";
import { createCeilings } from "./ceilings";
import { openEscrow } from "./escrow";
import { type Freezer, freeze } from "./freeze";
import { type HoldRequest, insertHolds, renewHolds } from "./holds";
import { createLeases } from "./leases";
import { openPurse, type Payer } from "./months";
import { endHolds, type Settlement, sweepHolds } from "./settlements";
import { createSettler } from "./settler";

/** Events for the metrics: what the books repaired, or could not repair. */
type Incident = "late" | "kept" | "lost" | "refused" | "hold_regained" | "hold_refused";

export type BillingDeps = {
  db: Database;
  clock: Clock;
  timeZone: string;
  log: Log;
  leaseSeconds?: number;
  /** How many charges within two seconds make a payer busy, for whom money is set aside. */
  busyCalls?: number;
  /** Where charges wait while the database is away; they outlive the process there. */
  arrearsDirectory?: string;
  observe?: (incident: Incident) => void;
  onArrears?: (waiting: number) => void;
  /** Hears how many holds of the dead were returned. */
  onSwept?: (holds: number) => void;
  /** Whether the clock may say which month it is. */
  isClockRight?: () => boolean;
  /** Hears of each write: what the database refused it for, or null when it was done. */
  onWrite?: (error: unknown) => void;
};

type OpenDeps = BillingDeps & { leaseSeconds: number };

/** How long a capture is tried while the database is away, as a part of a lease: so the hold is still ours. */
const CAPTURE_PATIENCE = 0.75;

/** What becomes of a charge that the database refused: the vendor is paid, and the call pays nothing. */
const refuserOf =
  ({ log, observe }: Pick<BillingDeps, "log" | "observe">) =>
  (requestId: string, error: unknown): void => {
    // An outage is reported as one.
    if (!isTransient(error)) {
      observe?.("refused");
      log.error({ err: error, requestId }, "a call's charge is refused, and given up");
    }
  };

export type Books = ReturnType<typeof openBooks>;

/** The parts that one process moves money with, each made for the others. */
export function openBooks(deps: OpenDeps) {
  const { db, log, leaseSeconds, observe = () => {}, onArrears = () => {}, onWrite = () => {} } = deps;
  const sweep = async (accountId?: AccountId) => {
    const holds = await sweepHolds(db, leaseSeconds, accountId);
    deps.onSwept?.(holds);
    return holds;
  };
  // A figure that no column can hold, say: the others of its batch must not pay for it.
  const batching = { maxItems: 500, mayDivide: (error: unknown) => !isTransient(error) };
  const batcherOf = isDistributed(db) ? createBatcherPerAccount : createBatcher;
  const batch: Batch = (run) =>
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
  // Refusals of one account come in bursts; one look a second for its dead holds serves them all, and is waited for.
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
  /** A call that lives on may be in the next window by now; of its own month all the same. */
  async function takeAgain(request: HoldRequest) {
    const { buyer, period } = request;
    const { goesOn: _, ...payer } = buyer ? await ceilings.of(buyer, period) : request;
    return await take({ ...request, ...payer, goesOn: false });
  }
  const leases = createLeases({
    renew: (rows) => renewHolds(relaxed(db), rows, leaseSeconds),
    escrow,
    freeze: takeAgain,
    log,
    observe,
  });
  const arrears = createArrears({
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
    /** Waits for the statements under way, and for what is being written to disk. */
    idle: () => Promise.all([holds.idle(), ends.idle(), escrow.idle(), arrears.written()]),
  };
}
