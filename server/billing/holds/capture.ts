import { GatewayError } from "@/server/base/errors";
import { whenHere } from "@/server/base/eventual";
import { nanos } from "@/server/base/money";
import type { BillingContext } from "../context";
import type { HoldRequest } from "./holds";
import { type Charge, type DeliveredCharge, isCharged, type KeyCharge, type Settlement } from "./settlement";
import type { Hold } from "./take-hold";

/** The end of a call: a charge, or null to return its money. */
type CallEnd = {
  charge: KeyCharge | null;
  note?: string | undefined;
  isDelivered: boolean;
  wasLost?: boolean;
};

/**
 * Charges a call out of an escrow of this process, or a part of an outage allowance, by a line on the disk of this
 * machine, from which the ledger gets it within a second (decision 75). Returns false if the disk takes no more.
 */
function isStored(books: BillingContext, settlement: DeliveredCharge): Promise<boolean> {
  const { escrow, outage, log } = books;
  const { requestId, charge, part } = settlement;
  return books.settleSoon(settlement).then(
    () => {
      const isOverdrawn = part === undefined && escrow.stored(requestId, charge.amount);
      // The month must include the charge before it grants the next call. While the database is away it grants none.
      return isOverdrawn ? outage.unlessAway(books.settleNow()).then(() => true) : true;
    },
    (error: unknown) => {
      log.warn({ err: error, requestId }, "a charge goes to the database, because the disk does not take it");
      outage.refuse();
      return false;
    },
  );
}

/**
 * Ends a call that a part of an outage allowance pays for. Without a charge, the database has no record of the call.
 */
async function endOutageCall(
  books: BillingContext,
  { requestId, accountId, period }: Hold,
  { charge, note, isDelivered }: CallEnd,
): Promise<boolean> {
  const { outage } = books;
  if (charge === null) {
    outage.released(requestId);
    return true;
  }
  const settlement = { requestId, accountId, period, note, part: outage.processId, charge };
  // From here on its money stays used until the ledger has the charge.
  outage.charged(requestId, charge.amount);
  if (await isStored(books, settlement)) {
    return true;
  }
  try {
    return await books.settleCharge(settlement, { isDelivered });
  } finally {
    // If it failed, the database may have taken the charge off the part nevertheless: the rest is smaller in any case.
    if (!books.arrears.has(requestId)) {
      outage.settled(requestId);
    }
  }
}

/**
 * Charges a call of an account with an outage allowance. If the database does not take the charge, the allowance pays:
 * the try may have succeeded nevertheless, or the hold still be there; either way the ledger has one charge in the end.
 */
async function chargeHeldOrSell(
  books: BillingContext,
  held: Hold,
  { settlement, ending, paid }: { settlement: DeliveredCharge; ending: CallEnd; paid: HoldRequest },
): Promise<boolean> {
  const isEnded = await books.tryOnce(settlement, ending);
  if (isEnded !== null) {
    return isEnded;
  }
  return await (books.outage.take(paid) === null
    ? books.settleCharge(settlement, ending)
    : endOutageCall(books, held, ending));
}

/** Charges a call with its own hold, or out of an escrow. */
function chargeHeld(
  books: BillingContext,
  held: Hold,
  { settlement, ending }: { settlement: DeliveredCharge; ending: CallEnd },
): Promise<boolean> {
  const request = books.leases.requestOf(held.requestId);
  const { amount } = settlement.charge;
  const paid = request && books.outage.mayPay(request) ? { ...request, amount, minimum: amount } : null;
  return paid !== null && books.outage.canPay(paid)
    ? chargeHeldOrSell(books, held, { settlement, ending, paid })
    : books.settleCharge(settlement, ending);
}

/**
 * Ends a call that is paid by its own hold or out of an escrow, and updates the escrow. If another process began the call,
 * `held.drawn` says which escrow. Returns whether the call has ended as wanted.
 */
function end(books: BillingContext, held: Hold, ending: CallEnd): Promise<boolean> {
  const { leases, escrow, outage } = books;
  const { requestId, accountId, period } = held;
  const { charge, note, wasLost = false } = ending;
  if (books.arrears.has(requestId)) {
    // It is charged already, as soon as the database accepts it.
    return Promise.resolve(charge !== null);
  }
  const isOurs = leases.requestOf(requestId) !== undefined;
  if (isOurs && outage.pays(requestId)) {
    return endOutageCall(books, held, ending);
  }
  const isStorable = books.storesCharges && isOurs;
  const drawn = isOurs ? escrow.drawnBy(requestId) : held.drawn;
  const settlement: Settlement = {
    requestId,
    accountId,
    period,
    note,
    wasLost,
    draw: drawn ?? undefined,
    charge,
  };
  escrow.ending(requestId);
  const settle = () =>
    (isCharged(settlement) ? chargeHeld(books, held, { settlement, ending }) : books.settle(settlement)).then(
      (isEnded) => whenHere(escrow.ended(requestId, charge?.amount ?? nanos(0n)), () => isEnded),
      (error: unknown) => {
        escrow.failed(requestId);
        throw error;
      },
    );
  return isStorable && isCharged(settlement) && drawn !== null
    ? isStored(books, settlement).then((isDone) => isDone || settle())
    : settle();
}

/** `onCharged`: called when the charge is on disk. An exception of it is thrown by `capture`. */
export type CaptureOptions = { isDelivered: boolean; onCharged?: () => void };

export function capture(
  books: BillingContext,
  held: Hold,
  { charge, options: { isDelivered, onCharged } }: { charge: Charge; options: CaptureOptions },
): Promise<void> {
  const { leases, escrow, refuse } = books;
  const { requestId, keyId } = held;
  const failed = (error: unknown): never => {
    // A delivered call is charged later, or counted as lost.
    if (!isDelivered) {
      refuse(requestId, error);
    }
    leases.end(requestId);
    throw new GatewayError("billingFailed", "", { cause: error });
  };
  const next = (isEnded: boolean): void => {
    if (!isEnded) {
      failed(new Error("the hold was ended by someone else"));
    }
    escrow.charged(held, charge.amount);
    leases.end(requestId);
    onCharged?.();
  };
  const ending = { charge: { ...charge, keyId }, note: charge.note, isDelivered };
  const taking = leases.ending(requestId);
  const ended = taking === null ? end(books, held, ending) : taking.then(() => end(books, held, ending));
  return ended.then(next, failed);
}

export function release(books: BillingContext, held: Hold, reason: string): void {
  const { leases, log } = books;
  const { requestId } = held;
  const wasLost = leases.wasLost(requestId);
  const returned = { charge: null, note: reason, isDelivered: false, wasLost };
  const taking = leases.ending(requestId);
  // A hold that is just being regained is separate from the escrow.
  const released =
    taking === null
      ? end(books, held, returned)
      : taking.then(() => end(books, { ...held, drawn: null }, returned));
  leases.end(requestId);
  released.catch((error) => log.error({ err: error, requestId }, "release is left to the sweeper"));
}
