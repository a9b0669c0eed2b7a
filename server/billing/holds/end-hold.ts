import { GatewayError } from "@/server/base/errors";
import { whenHere } from "@/server/base/eventual";
import { nanos } from "@/server/base/money";
import type { BillingContext } from "../context";
import type { Charge, KeyCharge } from "./settlement";
import type { Hold } from "./take-hold";

/** The end of a call: a charge, or null to return its money. */
type CallEnd = {
  charge: KeyCharge | null;
  note?: string | undefined;
  isDelivered: boolean;
  wasLost?: boolean;
};

/**
 * Ends a call that is paid out of an escrow, and updates the escrow. If another process began the call, `held.drawn`
 * says which escrow.
 */
function end(
  { leases, escrow, settle, settleDelivered }: BillingContext,
  held: Hold,
  ending: CallEnd,
): Promise<boolean> {
  const { requestId, accountId, period } = held;
  const { charge, note, wasLost = false } = ending;
  const drawn = leases.has(requestId) ? escrow.drawnBy(requestId) : held.drawn;
  const settlement = { requestId, accountId, period, note, wasLost, draw: drawn ?? undefined };
  escrow.ending(requestId);
  const settled =
    charge !== null && ending.isDelivered
      ? settleDelivered({ ...settlement, charge })
      : settle({ ...settlement, charge });
  return settled.then(
    (isEnded) => whenHere(escrow.ended(requestId, charge?.amount ?? nanos(0n)), () => isEnded),
    (error: unknown) => {
      escrow.failed(requestId);
      throw error;
    },
  );
}

export async function capture(
  books: BillingContext,
  held: Hold,
  { charge, isDelivered }: { charge: Charge; isDelivered: boolean },
): Promise<void> {
  const { leases, escrow, refuse } = books;
  const { requestId, keyId } = held;
  try {
    const taking = leases.ending(requestId);
    if (taking !== null) {
      await taking;
    }
    if (!(await end(books, held, { charge: { ...charge, keyId }, note: charge.note, isDelivered }))) {
      throw new Error("the hold was ended by someone else");
    }
    escrow.charged(held, charge.amount);
  } catch (error) {
    // A delivered call is charged later, or counted as lost.
    if (!isDelivered) {
      refuse(requestId, error);
    }
    throw new GatewayError("billingFailed", "", { cause: error });
  } finally {
    leases.end(requestId);
  }
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
