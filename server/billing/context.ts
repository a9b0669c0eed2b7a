import { createCache } from "@/server/base/cache";

import { isTransient } from "@/server/db";
import { isDistributed, relaxed } from "@/server/db/handles";
import type { AccountId } from "@/server/domain/ids";
import type { BillingDeps } from "./deps";
import { openEscrow } from "./escrow";
import { type BatcherFactory, createBatcher, createBatcherPerAccount } from "./holds/batcher";
import { endHolds, endOutageCalls } from "./holds/end-calls";
import { type Freezer, freeze } from "./holds/freeze";
import { type HoldRequest, insertHolds, renewHolds } from "./holds/holds";
import { createLeases } from "./holds/leases";
import type { Settlement } from "./holds/settlement";
import { createSettlementPaths } from "./holds/settlement-paths";
import { sweepHolds } from "./holds/sweep";
import { createCaps } from "./months/caps";
import { openPurse, type Payer } from "./months/months";
import { createOpenings } from "./months/openings";

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
  const { db, log, leaseSeconds, observe = () => {}, onWrite = () => {} } = deps;
  const sweep = async (accountId?: AccountId) => {
    const holds = await sweepHolds(db, { leaseSeconds, accountId, settleLeft: paths.collect });
    if (accountId === undefined) {
      await paths.collect();
      await paths.outage.sweep();
    }
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
  const outageEnds = batch((settlements: Settlement[]) => endOutageCalls(db, settlements));
  // Refusals of one account come in bursts. All of them wait for one sweep of its dead holds per second.
  const swept = createCache((accountId: AccountId) => sweep(accountId), {
    maxAgeMs: 1_000,
    maxServedMs: 1_000,
    maxEntries: 10_000,
  });
  const freezer: Freezer = {
    insert: holds.add,
    openMonths: createOpenings((payer: Payer) => openPurse(db, payer)),
    reclaim: ({ accountId, keyId }: Payer, whose) =>
      Promise.all([
        swept.get(accountId),
        escrow.recall(whose === "key" ? { accountId, keyId } : { accountId }),
      ]),
  };
  const take = (request: HoldRequest) => freeze(freezer, request);
  const caps = createCaps(deps);
  /** A call that is still running may be in the next window by now, but stays in its own month. */
  async function takeAgain(request: HoldRequest) {
    const { buyer, period } = request;
    const { weekContinues: _, ...payer } = buyer ? await caps.payerOf(buyer, period) : request;
    return await take({ ...request, ...payer, weekContinues: false });
  }
  const leases = createLeases({
    renew: (rows) => renewHolds(relaxed(db), rows, leaseSeconds),
    escrow,
    hasRow: (requestId) => !paths.outage.pays(requestId),
    freeze: takeAgain,
    log,
    observe,
  });
  const paths = createSettlementPaths(deps, {
    escrow,
    endHold: ends.add,
    endOutageCall: outageEnds.add,
    patienceMs: leaseSeconds * 1000 * CAPTURE_PATIENCE,
  });
  return {
    ...freezer,
    ...paths,
    freeze: take,
    caps,
    leases,
    escrow,
    log,
    refuse: refuserOf(deps),
    storesCharges: deps.storesCharges ?? false,
    sweep,
    /** Waits for the statements under way and for writes to disk. */
    idle: () =>
      Promise.all(
        [holds, ends, outageEnds, escrow].map(({ idle }) => idle()).concat(paths.arrears.written()),
      ),
  };
}
