import { setTimeout as sleep } from "node:timers/promises";
import { withinMs } from "@/server/base/deadline";
import { GatewayError } from "@/server/base/errors";
import type { AccountId } from "@/server/base/ids";
import { type Nanos, nanos } from "@/server/base/money";
import { createCalendar } from "@/server/base/period";
import { isTransient } from "@/server/db";
import { describeArrear } from "./arrears";
import { type BillingDeps, type Books, openBooks } from "./books";
import type { Buyer } from "./ceilings";
import type { Granted } from "./freeze";
import { type HoldRequest, MAX_AMOUNT, quotaExhausted, type Shortfall } from "./holds";
import type { Payer } from "./months";
import type { Charge, Drawn } from "./settlements";
import { type AskedStanding, findStanding, type Standing } from "./standing";

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
  /** Where it is a part of an escrow. */
  drawn: Drawn | null;
  lost: AbortSignal;
};

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

const HOLD_TIMEOUT_MS = 10_000;

/** How a call ends: by a charge, or (null) by returning its money. */
type Ending = {
  charge: Charge | null;
  note?: string | undefined;
  isDelivered: boolean;
  wasLost?: boolean;
};

/** A grant after the timeout is unused: it goes back at once, lest it refuse somebody until its lease ends. */
async function returnLate(books: Books, request: HoldRequest, late: Granted | Shortfall): Promise<void> {
  if (typeof late !== "object") {
    return;
  }
  const { requestId, accountId, period, escrow } = request;
  await (late.isEscrow && escrow
    ? books.escrow.returnUnused({ id: escrow.id, accountId, period })
    : books.settle({ requestId, accountId, period, charge: null, note: "late hold" }));
}

/** What the database grants. Throws unavailable when it does not answer in time. */
async function freezeInTime(books: Books, request: HoldRequest): Promise<Granted | Shortfall> {
  const frozen = books.freeze(request).catch((error: unknown) => {
    throw isTransient(error) ? new GatewayError("unavailable", "", { cause: error }) : error;
  });
  const answer = await withinMs(frozen, HOLD_TIMEOUT_MS);
  if (answer === null) {
    frozen
      .then((late) => returnLate(books, request, late))
      .catch((error: unknown) =>
        books.log.warn({ err: error, requestId: request.requestId }, "a late hold is left to the sweeper"),
      );
    throw new GatewayError("unavailable", "", { cause: new Error("the database is silent") });
  }
  return answer;
}

/** What the database grants: to the call, or to the busy payer of which it is one. */
async function freezeDurably(
  books: Books,
  request: HoldRequest,
): Promise<{ amount: Nanos; drawn: Drawn | null } | Shortfall> {
  const { escrow } = books;
  const wish = escrow.wish(request);
  const sentAt = escrow.now();
  let answer: Granted | Shortfall = "account";
  try {
    answer = await freezeInTime(books, wish ? { ...request, escrow: wish } : request);
  } finally {
    if (wish && !(typeof answer === "object" && answer.isEscrow)) {
      escrow.decline(request);
    }
  }
  if (typeof answer === "string") {
    return answer;
  }
  return wish && answer.isEscrow
    ? { amount: request.amount, drawn: escrow.open(request, { id: wish.id, amount: answer.amount, sentAt }) }
    : { amount: answer.amount, drawn: null };
}

async function tryToHold(books: Books, request: HoldRequest): Promise<Hold | Shortfall> {
  const { requestId, accountId, period } = request;
  const taken = books.escrow.take(request);
  const frozen = taken ? { amount: request.amount, drawn: taken } : await freezeDurably(books, request);
  if (typeof frozen === "string") {
    return frozen;
  }
  const { amount, drawn } = frozen;
  const lost = books.leases.begin({ ...request, amount, minimum: amount });
  return { requestId, accountId, period, amount, drawn, lost };
}

const isOfSame = (one: Payer, other: Payer) =>
  one.keyCap === other.keyCap && one.accountCap === other.accountCap && one.period === other.period;

/** Before a refusal by a cap is believed, what it is reckoned from is looked at anew. */
async function hold(
  books: Books,
  { buyer, period, ...call }: { buyer: Buyer; period: string } & Omit<HoldRequest, keyof Payer>,
): Promise<Hold> {
  const known = books.ceilings.of(buyer, period);
  let payer = known instanceof Promise ? await known : known;
  let answer = await tryToHold(books, { ...call, ...payer, buyer });
  if (typeof answer === "string" && buyer.windows) {
    const fresh = await books.ceilings.again(buyer, period);
    if (!isOfSame(fresh, payer)) {
      payer = fresh;
      answer = await tryToHold(books, { ...call, ...payer, buyer });
    }
  }
  if (typeof answer === "string") {
    throw quotaExhausted(answer, payer);
  }
  return answer;
}

/**
 * Ends a call out of what it has of an escrow, and tells the escrow. Of a call that another process began, what that
 * process said.
 */
async function end(
  { leases, escrow, settle, settleDelivered }: Books,
  held: Hold,
  ending: Ending,
): Promise<boolean> {
  const { requestId, accountId, period } = held;
  const { charge, note, wasLost = false } = ending;
  const drawn = leases.has(requestId) ? escrow.drawnBy(requestId) : held.drawn;
  const settlement = { requestId, accountId, period, note, wasLost, draw: drawn ?? undefined };
  escrow.ending(requestId);
  try {
    const isDelivered = charge !== null && ending.isDelivered;
    const isEnded = await (isDelivered
      ? settleDelivered({ ...settlement, charge })
      : settle({ ...settlement, charge }));
    await escrow.ended(requestId, charge?.amount ?? nanos(0n));
    return isEnded;
  } catch (error) {
    escrow.failed(requestId);
    throw error;
  }
}

async function capture(books: Books, held: Hold, ending: Ending & { charge: Charge }): Promise<void> {
  const { leases, escrow, observe, log } = books;
  const { requestId, accountId, period } = held;
  try {
    const taking = leases.ending(requestId);
    if (taking !== null) {
      await taking;
    }
    if (!(await end(books, held, ending))) {
      throw new Error("the hold was ended by someone else");
    }
    escrow.charged({ accountId, period, keyId: ending.charge.keyId }, ending.charge.amount);
  } catch (error) {
    // The vendor is paid and nobody else. What was delivered is charged later, or counted as lost; what fails with the
    // database away is of its outage, which is told of as one.
    if (!ending.isDelivered && !isTransient(error)) {
      observe("refused");
      log.error({ err: error, requestId }, "a call's charge is refused, and given up");
    }
    throw new GatewayError("billingFailed", "", { cause: error });
  } finally {
    leases.end(requestId);
  }
}

function release(books: Books, held: Hold, reason: string): void {
  const { leases, log } = books;
  const { requestId } = held;
  const wasLost = leases.wasLost(requestId);
  const returned = { charge: null, note: reason, isDelivered: false, wasLost };
  const taking = leases.ending(requestId);
  // What is just being taken again is a hold of its own.
  const released =
    taking === null
      ? end(books, held, returned)
      : taking.then(() => end(books, { ...held, drawn: null }, returned));
  leases.end(requestId);
  released.catch((error) => log.error({ err: error, requestId }, "release is left to the sweeper"));
}

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
      return await hold(books, { buyer, period: period(), requestId, amount: most, minimum });
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
