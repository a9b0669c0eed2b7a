import { setTimeout as sleep } from "node:timers/promises";
import { withinMs } from "@/server/base/deadline";
import { GatewayError } from "@/server/base/errors";
import type { Nanos } from "@/server/base/money";
import { createCalendar } from "@/server/base/period";
import { describeArrear } from "./arrears";
import { type BillingDeps, type Books, openBooks } from "./books";
import type { Buyer } from "./ceilings";
import { capture, release } from "./end-hold";
import { MAX_AMOUNT, quotaExhausted } from "./holds";
import type { Payer } from "./months";
import type { Charge } from "./settlements";
import { type AskedStanding, findStanding, type Standing } from "./standing";
import { type Hold, takeHold } from "./take-hold";

type HoldInput = Buyer & { requestId: string; amount: Nanos; minimum?: Nanos };

export type Billing = {
  /**
   * Freezes `amount`, or what is left when that is at least `minimum`, to the account and under its key's caps and its
   * own limit. Throws quotaExhausted (402), and unavailable (503) when the database does not answer.
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
  /**
   * What a refused freeze may have failed for: opens the account's and the key's month, returns dead calls' money and
   * what is set aside unused.
   */
  openMonthsAndReclaim: (payer: Payer) => Promise<void>;
  /**
   * What a buyer's call of this moment is paid from, and how much of it may be taken. `isAgain`: a freeze has been refused
   * for what was known of that. Throws unavailable, as `period` does.
   */
  payer: (buyer: Buyer, options?: { isAgain: boolean }) => Promise<Payer>;
  /** The billing month of this moment. Throws unavailable (503) where the clock cannot say it. */
  period: () => string;
  /** What a key has spent, and what it and its account may spend, now. Throws unavailable, as `period` does. */
  standing: (asked: AskedStanding) => Promise<Standing>;
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

/** How often escrows that are used up are told to their months, and the rest of them returned. */
const FOLD_MS = 1_000;

/**
 * Renews leases, and tries to charge what has been kept, four times a lease; folds escrows. Answers what stops it.
 */
function startTicking({ leases, collect, escrow, log }: Books, leaseSeconds: number): () => void {
  const renewal = setInterval(
    () => {
      leases.renew().catch((error) => log.warn({ err: error }, "leases not renewed"));
      collect().catch((error) => log.warn({ err: error }, "kept charges are tried again"));
    },
    (leaseSeconds * 1000) / 4,
  );
  const folding = setInterval(() => {
    // First, for what nobody can call back is closed by it, and folded then.
    escrow.check().catch((error: unknown) => log.warn({ err: error }, "nobody may be called back now"));
    escrow.fold().catch((error: unknown) => log.warn({ err: error }, "escrows are folded later"));
  }, FOLD_MS);
  renewal.unref();
  folding.unref();
  return () => {
    clearInterval(renewal);
    clearInterval(folding);
  };
}

async function close(books: Books, stop: () => void, patienceMs: number) {
  const { leases, escrow, arrears, collect, idle, log } = books;
  const deadline = performance.now() + patienceMs;
  while (leases.count() > 0 && performance.now() < deadline) {
    await sleep(20);
  }
  stop();
  escrow.retire();
  await withinMs(collect(), LAST_TRY_MS);
  // A database that takes connections and drops them leaves statements that never end.
  await withinMs(idle(), LAST_TRY_MS);
  await withinMs(
    Promise.all([escrow.fold(), escrow.unwatch()]).catch((error: unknown) =>
      log.warn({ err: error }, "what is set aside is left to the sweeper"),
    ),
    LAST_TRY_MS,
  );
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
  const { clock, isClockRight = () => true } = deps;
  const period = () => {
    if (!isClockRight()) {
      throw new GatewayError("unavailable", "", {
        cause: new Error("this machine's clock is not the database's: it opens no month"),
      });
    }
    return periodOf(clock());
  };
  const stop = startTicking(books, leaseSeconds);
  return {
    hold: async ({ requestId, amount, minimum = amount, ...buyer }) => {
      if (minimum > MAX_AMOUNT) {
        throw quotaExhausted("account");
      }
      const most = amount > MAX_AMOUNT ? MAX_AMOUNT : amount;
      return await takeHold(books, { buyer, period: period(), requestId, amount: most, minimum });
    },
    capture: (held, charge, { isDelivered } = { isDelivered: false }) =>
      capture(books, held, { charge, note: charge.note, isDelivered }),
    release: (held, reason) => release(books, held, reason),
    openMonthsAndReclaim: async (payer) => {
      await books.openMonths(payer);
      await books.reclaim(payer, "account");
    },
    payer: async (buyer, { isAgain } = { isAgain: false }) =>
      await books.ceilings[isAgain ? "again" : "of"](buyer, period()),
    period,
    standing: async (asked) =>
      await findStanding(deps.db, asked, { period: period(), timeZone: deps.timeZone, now: clock() }),
    sweep: books.sweep,
    close: ({ patienceMs } = { patienceMs: CLOSE_PATIENCE_MS }) => close(books, stop, patienceMs),
  };
}
