import { setTimeout as sleep } from "node:timers/promises";
import { withinMs } from "@/server/base/deadline";
import { GatewayError } from "@/server/base/errors";
import type { Eventual } from "@/server/base/eventual";
import type { Nanos } from "@/server/base/money";
import { createCalendar } from "@/server/domain/period";
import { type BillingContext, createBillingContext } from "./context";
import type { BillingDeps } from "./deps";
import { type CaptureOptions, capture, release } from "./holds/capture";
import { MAX_AMOUNT, quotaExhausted } from "./holds/holds";
import type { Charge } from "./holds/settlement";
import { type Hold, takeHold } from "./holds/take-hold";
import { describeCharge } from "./journal/charge-lines";
import type { Buyer } from "./months/caps";
import { openPurse, type Payer } from "./months/months";
import { type AskedStanding, findStanding, type Standing } from "./months/standing";

type HoldInput = Buyer & { requestId: string; amount: Nanos; minimum?: Nanos };

export type Billing = {
  /**
   * Freezes `amount`, or what is left if that is at least `minimum`, within the account's balance and limit and the
   * key's caps. Throws quotaExhausted (402), and unavailable (503) if the database does not answer, or nothing may be
   * sold at the moment.
   */
  hold: (want: HoldInput) => Eventual<Hold>;
  /**
   * Charges a call, even if its hold was lost meanwhile. When it returns, the charge is on disk. Throws billingFailed
   * (500): then nothing was charged, and nothing will be, unless the client has the answer already (`isDelivered`):
   * such a call is charged later.
   */
  capture: (hold: Hold, charge: Charge, options?: CaptureOptions) => Promise<void>;
  /** Returns the money in the background. If that fails, the sweeper does it. */
  release: (hold: Hold, reason: string) => void;
  /**
   * Removes the possible causes of a refused freeze: opens the account's and the key's month, and returns the money of
   * dead calls and of unused escrows.
   */
  openMonthsAndReclaim: (payer: Payer) => Promise<void>;
  /**
   * Returns the months and limits that a buyer's call is paid from now. `isAgain`: a freeze was refused with the known
   * limits, so they are read again. Throws unavailable, as `hold` does.
   */
  payer: (buyer: Buyer, options?: { isAgain: boolean }) => Promise<Payer>;
  /** The present billing month. Throws unavailable (503) if the clock is not reliable. */
  period: () => string;
  /** Returns what a key has spent, and what it and its account may spend now. Throws unavailable, as `period` does. */
  standing: (query: AskedStanding) => Promise<Standing>;
  /** Whether calls can be sold although the database is away. */
  sellsAlone: () => boolean;
  /** The number of charges that the ledger did not take when they were tried. */
  unsettled: () => number;
  /** Returns the money of dead processes to the accounts. Resolves to the number of holds. */
  sweep: () => Promise<number>;
  /** Waits, up to `patienceMs`, until no call of this process holds money. Holds that remain end with their leases. */
  close: (options?: { patienceMs: number }) => Promise<void>;
};

/** Longer than any pause of a live process; after it, a call's process counts as dead. */
const LEASE_SECONDS = 20;

/** How long calls that were cut off at the end of the drain have to charge for delivered parts. */
const CLOSE_PATIENCE_MS = 5_000;

/** Time at the end for a last attempt at charges that wait for the database, and for statements under way. */
const LAST_TRY_MS = 2_000;

/** How often used escrows are folded into their months and the rest of them is returned. */
const FOLD_MS = 1_000;

/**
 * Four times per lease it renews leases and parts of outage allowances, retries kept charges and looks for failovers.
 * Once a second it folds escrows. Returns a function that stops it.
 */
function startTicking(
  { leases, collect, escrow, outage, failover, log }: BillingContext,
  { leaseSeconds, period }: { leaseSeconds: number; period: () => string },
): () => void {
  const renewParts = async () => await outage.renew(period());
  let wasAway = false;
  // A failover shows as a change of what is known before it.
  void failover.check();
  const renewal = setInterval(
    () => {
      leases.renew().catch((error) => log.warn({ err: error }, "leases not renewed"));
      collect().catch((error) => log.warn({ err: error }, "kept charges are tried again"));
      renewParts().catch((error) => log.warn({ err: error }, "parts of outage allowances are not renewed"));
      void failover.check();
    },
    (leaseSeconds * 1000) / 4,
  );
  const folding = setInterval(() => {
    // The check comes first: it closes escrows that other processes cannot recall, and the fold returns them.
    escrow
      .check()
      .catch((error: unknown) => log.warn({ err: error }, "escrows cannot be recalled at the moment"));
    escrow.fold().catch((error: unknown) => log.warn({ err: error }, "escrows are folded later"));
    if (wasAway && !outage.isAway()) {
      collect().catch((error) => log.warn({ err: error }, "kept charges are tried again"));
    }
    wasAway = outage.isAway();
  }, FOLD_MS);
  renewal.unref();
  folding.unref();
  return () => {
    clearInterval(renewal);
    clearInterval(folding);
  };
}

async function close(books: BillingContext, stop: () => void, patienceMs: number) {
  const { leases, escrow, outage, arrears, settleNow, collect, idle, log } = books;
  const deadline = performance.now() + patienceMs;
  while (leases.count() > 0 && performance.now() < deadline) {
    await sleep(20);
  }
  stop();
  escrow.retire();
  await withinMs(Promise.all([settleNow(), collect()]), LAST_TRY_MS);
  // A database that accepts connections and drops them leaves statements that never end.
  await withinMs(idle(), LAST_TRY_MS);
  await withinMs(
    Promise.all([escrow.fold(), escrow.unwatch(), outage.close()]).catch((error: unknown) =>
      log.warn({ err: error }, "what is set aside is left to the sweeper"),
    ),
    LAST_TRY_MS,
  );
  for (const settlement of arrears.waiting()) {
    log.error(
      { charge: describeCharge(settlement) },
      "a delivered call is left for the next start to charge",
    );
  }
  await arrears.close();
}

export function createBilling({ leaseSeconds = LEASE_SECONDS, ...deps }: BillingDeps): Billing {
  const books = createBillingContext({ ...deps, leaseSeconds });
  const periodOf = createCalendar(deps.timeZone);
  const { clock, isClockRight = () => true, whyNotSell = () => null } = deps;
  const period = () => {
    if (!isClockRight()) {
      throw new GatewayError("unavailable", "", {
        cause: new Error("this machine's clock is not the database's: it opens no month"),
      });
    }
    return periodOf(clock());
  };
  const periodOfSale = () => {
    const reason = whyNotSell();
    if (reason !== null) {
      throw new GatewayError("unavailable", "", { cause: new Error(reason) });
    }
    return period();
  };
  const stop = startTicking(books, { leaseSeconds, period });
  return {
    hold: ({ requestId, amount, minimum = amount, ...buyer }) => {
      if (minimum > MAX_AMOUNT) {
        throw quotaExhausted("account");
      }
      const holdAmount = amount > MAX_AMOUNT ? MAX_AMOUNT : amount;
      return takeHold(books, { buyer, period: periodOfSale(), requestId, amount: holdAmount, minimum });
    },
    capture: (held, charge, options = { isDelivered: false }) => capture(books, held, { charge, options }),
    release: (held, reason) => release(books, held, reason),
    openMonthsAndReclaim: async (payer) => {
      // Not one that others began: money may have become free since.
      await openPurse(deps.db, payer);
      await books.reclaim(payer, "account");
    },
    payer: async (buyer, { isAgain } = { isAgain: false }) =>
      isAgain
        ? await books.caps.again(buyer, periodOfSale())
        : await books.caps.payerOf(buyer, periodOfSale()),
    period,
    standing: async (query) =>
      await findStanding(deps.db, query, { period: period(), timeZone: deps.timeZone, now: clock() }),
    sellsAlone: () => whyNotSell() === null && books.outage.hasMoney(),
    unsettled: () => books.arrears.waiting().length,
    sweep: books.sweep,
    close: ({ patienceMs } = { patienceMs: CLOSE_PATIENCE_MS }) => close(books, stop, patienceMs),
  };
}
