import { setTimeout as sleep } from "node:timers/promises";
import { createCache } from "@/server/base/cache";
import type { Clock } from "@/server/base/clock";
import { withinMs } from "@/server/base/deadline";
import { GatewayError } from "@/server/base/errors";
import type { AccountId } from "@/server/base/ids";
import type { Log } from "@/server/base/log";
import { type Nanos, nanos } from "@/server/base/money";
import { type Database, isTransient } from "@/server/db";
import { relaxed } from "@/server/db/handles";
import { createArrears, describeArrear } from "./arrears";
import { createBatcher } from "./batcher";
import { type HoldRequest, insertHolds, quotaExhausted, renewHolds, type Shortfall } from "./holds";
import { createLeases } from "./leases";
import { openPurse, type Payer } from "./months";
import { createCalendar } from "./period";
import { type Charge, endHolds, type Settlement, sweepHolds } from "./settlements";
import { createSettler } from "./settler";

/**
 * Money frozen for one call, in nano-units. It ends by exactly one `capture` or `release`. `lost` is aborted, with the
 * 402 as its reason, when the money was returned while the call lived and could not be frozen again: the call is to be
 * ended.
 */
export type Hold = {
  requestId: string;
  accountId: AccountId;
  period: string;
  amount: Nanos;
  lost: AbortSignal;
};

/** What the books had to make good: for the metrics. */
export type Incident = "late" | "kept" | "lost" | "hold_regained" | "hold_refused";

type HoldInput = Omit<Payer, "period"> & { requestId: string; amount: Nanos; minimum?: Nanos };

export type Billing = {
  /**
   * Freezes `amount`, or what is left when that is at least `minimum`, to the account and of its key's `keyCap` for
   * the month. Throws quotaExhausted (402), and unavailable (503) when the database does not answer.
   */
  hold: (want: HoldInput) => Promise<Hold>;
  /**
   * Charges, also where the hold was lost meanwhile. When it returns, the charge is on disk. Throws billingFailed
   * (500): then nothing was charged, and nothing will be unless the client has it already (`isDelivered`), which is
   * charged later.
   */
  capture: (hold: Hold, charge: Charge, options?: { isDelivered: boolean }) => Promise<void>;
  /** Returns the money, in the background; a release that fails is made good by the sweeper. */
  release: (hold: Hold, reason: string) => void;
  /** What a refused freeze may have failed for: opens the account's and the key's month, returns dead calls' money. */
  openMonthsAndSweep: (purse: Payer) => Promise<void>;
  /** The billing month of this moment. */
  period: () => string;
  /** Returns the money of the dead; how many holds. */
  sweep: () => Promise<number>;
  /** Waits, but not for ever, until no call of this process holds money any more. Then its leases run out. */
  close: (options?: { patienceMs: number }) => Promise<void>;
};

/** Longer than any pause of a process that lives; after it a call's process is taken for dead. */
const LEASE_SECONDS = 20;

/** How long a capture is tried while the database is away, as a part of a lease: so the hold is still ours. */
const CAPTURE_PATIENCE = 0.75;

/** How long calls that were cut off at the end of the drain have to charge for what they delivered. */
const CLOSE_PATIENCE_MS = 5_000;

/**
 * How long charges that wait for the database are tried once more at the end, and how long what is under way may take.
 */
const LAST_TRY_MS = 2_000;

const HOLD_TIMEOUT_MS = 10_000;

/** More than any account has: a batch must not fail for one request whose ceiling no column could hold. */
const MAX_AMOUNT = nanos(10n ** 17n);

export function createBilling(deps: {
  db: Database;
  clock: Clock;
  timeZone: string;
  log: Log;
  leaseSeconds?: number;
  /** Where charges wait while the database is away; they outlive the process there. */
  arrearsDirectory?: string;
  observe?: (incident: Incident) => void;
  onArrears?: (waiting: number) => void;
}): Billing {
  const { db, log, leaseSeconds = LEASE_SECONDS, observe = () => {}, onArrears = () => {} } = deps;
  const periodOf = createCalendar(deps.timeZone);
  // A figure that no column can hold, say: the others of its batch must not pay for it.
  const batching = { maxItems: 500, mayDivide: (error: unknown) => !isTransient(error) };
  const holdBatch = createBatcher(
    (requests: HoldRequest[]) => insertHolds(relaxed(db), requests, leaseSeconds),
    batching,
  );
  const endBatch = createBatcher((ends: Settlement[]) => endHolds(db, ends), batching);
  const leases = createLeases({
    renew: (requestIds) => renewHolds(relaxed(db), requestIds, leaseSeconds),
    freeze: tryHold,
    log,
    observe,
  });
  const arrears = createArrears({
    directory: deps.arrearsDirectory ?? null,
    log,
    observe,
    onCount: onArrears,
  });

  // Refusals of one account come in bursts; one look a second for its dead holds serves them all.
  const sweptFor = createCache((accountId: AccountId) => sweepHolds(db, leaseSeconds, accountId), {
    maxAgeMs: 1_000,
    maxEntries: 10_000,
  });

  const { settle, settleDelivered, collect } = createSettler({
    end: endBatch.add,
    arrears,
    patienceMs: leaseSeconds * 1000 * CAPTURE_PATIENCE,
    log,
    observe,
  });
  const tick = setInterval(
    () => {
      leases.renew().catch((error) => log.warn({ err: error }, "leases not renewed"));
      collect().catch((error) => log.warn({ err: error }, "kept charges are tried again"));
    },
    (leaseSeconds * 1000) / 4,
  );
  tick.unref();

  async function tryHold(request: HoldRequest): Promise<Nanos | Shortfall> {
    let hasOpened = false;
    let hasSwept = false;
    let refusal: Shortfall = "account";
    // Each pass removes one reason to refuse: no month yet, a queue that took more than it got, money of the dead.
    for (let pass = 0; pass < 8; pass++) {
      const { granted, shortage } = await holdBatch.add(request);
      if (granted !== null) {
        return granted;
      }
      if (shortage === "unopened" && !hasOpened) {
        await openPurse(db, request);
        hasOpened = true;
      } else if (shortage === null) {
        // Enough when the batch began: those before us were granted it, or were refused and left it.
      } else if (!hasSwept) {
        // One more look even when nothing was found: another process may have returned it since ours.
        hasSwept = true;
        await sweptFor.get(request.accountId);
      } else {
        return shortage;
      }
      refusal = shortage ?? refusal;
    }
    return refusal;
  }

  return {
    hold: async ({ amount, minimum = amount, ...payer }) => {
      const { requestId, accountId } = payer;
      const period = periodOf(deps.clock());
      if (minimum > MAX_AMOUNT) {
        throw quotaExhausted("account");
      }
      const request = { ...payer, period, amount: amount > MAX_AMOUNT ? MAX_AMOUNT : amount, minimum };
      const frozen = tryHold(request).catch((error: unknown) => {
        throw isTransient(error) ? new GatewayError("unavailable", "", { cause: error }) : error;
      });
      const answer = await withinMs(frozen, HOLD_TIMEOUT_MS);
      if (answer === null) {
        // Late money is nobody's: it goes back at once, lest it refuse somebody until its lease ends.
        frozen
          .then((late) =>
            typeof late === "bigint"
              ? settle({ requestId, accountId, period, charge: null, note: "late hold" })
              : false,
          )
          .catch((error: unknown) =>
            log.warn({ err: error, requestId }, "a late hold is left to the sweeper"),
          );
        throw new GatewayError("unavailable", "", { cause: new Error("the database is silent") });
      }
      if (typeof answer === "string") {
        throw quotaExhausted(answer);
      }
      const lost = leases.begin({ ...request, amount: answer, minimum: answer });
      return { requestId, accountId, period, amount: answer, lost };
    },
    capture: async (hold, charge, { isDelivered } = { isDelivered: false }) => {
      const { requestId, accountId, period } = hold;
      const settlement = { requestId, accountId, period, charge, note: charge.note };
      try {
        const taking = leases.ending(requestId);
        if (taking !== null) {
          await taking;
        }
        const isCharged = await (isDelivered ? settleDelivered(settlement) : settle(settlement));
        if (!isCharged) {
          throw new Error("the hold was ended by someone else");
        }
      } catch (error) {
        throw new GatewayError("billingFailed", "", { cause: error });
      } finally {
        leases.end(requestId);
      }
    },
    release: ({ requestId, accountId, period }, reason) => {
      const taking = leases.ending(requestId);
      leases.end(requestId);
      const settlement = { requestId, accountId, period, charge: null, note: reason };
      const released = taking === null ? settle(settlement) : taking.then(() => settle(settlement));
      released.catch((error) => log.error({ err: error, requestId }, "release is left to the sweeper"));
    },
    openMonthsAndSweep: async (purse) => {
      await openPurse(db, purse);
      await sweptFor.get(purse.accountId);
    },
    period: () => periodOf(deps.clock()),
    sweep: () => sweepHolds(db, leaseSeconds),
    close: async ({ patienceMs } = { patienceMs: CLOSE_PATIENCE_MS }) => {
      const deadline = Date.now() + patienceMs;
      while (leases.count() > 0 && Date.now() < deadline) {
        await sleep(20);
      }
      clearInterval(tick);
      await withinMs(collect(), LAST_TRY_MS);
      // A database that takes connections and drops them leaves statements that never end.
      await withinMs(Promise.all([holdBatch.idle(), endBatch.idle(), arrears.written()]), LAST_TRY_MS);
      for (const settlement of arrears.waiting()) {
        log.error(
          { charge: describeArrear(settlement) },
          "a delivered call is left for the next start to charge",
        );
      }
    },
  };
}
