import { setTimeout as sleep } from "node:timers/promises";
import { withinMs } from "@/server/base/deadline";
import { GatewayError } from "@/server/base/errors";
import type { AccountId } from "@/server/base/ids";
import { type Nanos, nanos } from "@/server/base/money";
import { isTransient } from "@/server/db";
import { type DeliveredCharge, describeArrear } from "./arrears";
import { type BillingDeps, type Books, openBooks } from "./books";
import { type HoldRequest, quotaExhausted, type Shortfall } from "./holds";
import type { Payer } from "./months";
import { createCalendar } from "./period";
import type { Charge, Settlement } from "./settlements";

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

/** How long calls that were cut off at the end of the drain have to charge for what they delivered. */
const CLOSE_PATIENCE_MS = 5_000;

/**
 * How long charges that wait for the database are tried once more at the end, and how long what is under way may take.
 */
const LAST_TRY_MS = 2_000;

const HOLD_TIMEOUT_MS = 10_000;

/** More than any account has: a batch must not fail for one request whose ceiling no column could hold. */
const MAX_AMOUNT = nanos(10n ** 17n);

/** A grant after the timeout is unused: it goes back at once, lest it refuse somebody until its lease ends. */
async function returnLate(
  books: Books,
  { requestId, accountId, period }: HoldRequest,
  late: Nanos | Shortfall,
) {
  if (typeof late === "bigint") {
    await books.settle({ requestId, accountId, period, charge: null, note: "late hold" });
  }
}

async function hold(books: Books, request: HoldRequest): Promise<Hold> {
  const { requestId, accountId, period } = request;
  const frozen = books.freeze(request).catch((error: unknown) => {
    throw isTransient(error) ? new GatewayError("unavailable", "", { cause: error }) : error;
  });
  const answer = await withinMs(frozen, HOLD_TIMEOUT_MS);
  if (answer === null) {
    frozen
      .then((late) => returnLate(books, request, late))
      .catch((error: unknown) =>
        books.log.warn({ err: error, requestId }, "a late hold is left to the sweeper"),
      );
    throw new GatewayError("unavailable", "", { cause: new Error("the database is silent") });
  }
  if (typeof answer === "string") {
    throw quotaExhausted(answer);
  }
  const lost = books.leases.begin({ ...request, amount: answer, minimum: answer });
  return { requestId, accountId, period, amount: answer, lost };
}

async function capture(
  { leases, settle, settleDelivered }: Books,
  settlement: DeliveredCharge,
  isDelivered: boolean,
): Promise<void> {
  const { requestId } = settlement;
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
}

function release({ leases, settle, log }: Books, settlement: Settlement): void {
  const { requestId } = settlement;
  const taking = leases.ending(requestId);
  leases.end(requestId);
  const released = taking === null ? settle(settlement) : taking.then(() => settle(settlement));
  released.catch((error) => log.error({ err: error, requestId }, "release is left to the sweeper"));
}

/** Renews leases, and tries to charge what has been kept, four times a lease. Answers what stops it. */
function startTicking({ leases, collect, log }: Books, leaseSeconds: number): () => void {
  const tick = setInterval(
    () => {
      leases.renew().catch((error) => log.warn({ err: error }, "leases not renewed"));
      collect().catch((error) => log.warn({ err: error }, "kept charges are tried again"));
    },
    (leaseSeconds * 1000) / 4,
  );
  tick.unref();
  return () => clearInterval(tick);
}

async function close({ leases, arrears, collect, idle, log }: Books, stop: () => void, patienceMs: number) {
  const deadline = Date.now() + patienceMs;
  while (leases.count() > 0 && Date.now() < deadline) {
    await sleep(20);
  }
  stop();
  await withinMs(collect(), LAST_TRY_MS);
  // A database that takes connections and drops them leaves statements that never end.
  await withinMs(idle(), LAST_TRY_MS);
  for (const settlement of arrears.waiting()) {
    log.error(
      { charge: describeArrear(settlement) },
      "a delivered call is left for the next start to charge",
    );
  }
}

export function createBilling({ leaseSeconds = LEASE_SECONDS, ...deps }: BillingDeps): Billing {
  const books = openBooks({ ...deps, leaseSeconds });
  const periodOf = createCalendar(deps.timeZone);
  const period = () => periodOf(deps.clock());
  const stop = startTicking(books, leaseSeconds);
  return {
    hold: async ({ amount, minimum = amount, ...payer }) => {
      if (minimum > MAX_AMOUNT) {
        throw quotaExhausted("account");
      }
      const most = amount > MAX_AMOUNT ? MAX_AMOUNT : amount;
      return await hold(books, { ...payer, period: period(), amount: most, minimum });
    },
    capture: ({ requestId, accountId, period }, charge, { isDelivered } = { isDelivered: false }) =>
      capture(books, { requestId, accountId, period, charge, note: charge.note }, isDelivered),
    release: ({ requestId, accountId, period }, reason) =>
      release(books, { requestId, accountId, period, charge: null, note: reason }),
    openMonthsAndSweep: async (payer) => {
      await books.openMonths(payer);
      await books.sweepFor(payer);
    },
    period,
    sweep: books.sweep,
    close: ({ patienceMs } = { patienceMs: CLOSE_PATIENCE_MS }) => close(books, stop, patienceMs),
  };
}
