import type { Nanos } from "@/server/base/money";
import type { Tx } from "@/server/db";
import type { AccountId, KeyId } from "@/server/domain/ids";
import type { Buyer } from "../months/caps";
import type { Payer } from "../months/months";
import { endHolds } from "./end-calls";
import { insertHolds, quotaExhausted, type Shortfall } from "./holds";
import type { Charge } from "./settlement";

/** Money frozen for work that outlives its process: it has no lease, so only the end of the work ends it. */
type DurableHold = { requestId: string; accountId: AccountId; keyId: KeyId; period: string };

/** Longer than any work: the sweeper never reaches it. */
const NO_LEASE_SECONDS = 100 * 365 * 86_400;

/** The amount cannot be frozen. Thrown to roll back the transaction, which holds a lock on the month's row. */
class TooPoor extends Error {
  constructor(readonly shortfall: Shortfall) {
    super("the amount cannot be frozen");
  }
}

/** Freezes `amount` nano-units within the caller's transaction, all or nothing. Throws TooPoor. */
export async function holdDurably(tx: Tx, want: Payer & { requestId: string; amount: Nanos }): Promise<void> {
  const [outcome] = await insertHolds(tx, [{ ...want, minimum: want.amount }], NO_LEASE_SECONDS);
  if (outcome && outcome.granted === null) {
    throw new TooPoor(outcome.shortfall ?? "account");
  }
}

type BillingForHolds = {
  payer: (buyer: Buyer, options: { isAgain: boolean }) => Promise<Payer>;
  openMonthsAndReclaim: (payer: Payer) => Promise<void>;
};

/**
 * Runs `store`, a transaction with a durable hold, with the buyer's payer. If the money is too little, it tries every
 * remedy and runs `store` again, once per month, because the next month may begin meanwhile. Throws quotaExhausted
 * (402).
 */
export async function payDurably<T>(
  billing: BillingForHolds,
  buyer: Buyer,
  store: (payer: Payer) => Promise<T>,
): Promise<T> {
  for (let helped: string | null = null; ; ) {
    const payer = await billing.payer(buyer, { isAgain: helped !== null });
    try {
      return await store(payer);
    } catch (error) {
      if (!(error instanceof TooPoor)) {
        throw error;
      }
      if (helped === payer.period) {
        throw quotaExhausted(error.shortfall, payer);
      }
    }
    await billing.openMonthsAndReclaim(payer);
    helped = payer.period;
  }
}

/**
 * Ends a durable hold within the caller's transaction: charges it or, with a null charge, returns the money. Returns
 * false if the hold had ended before; then nothing changes.
 */
export async function endDurableHold(
  tx: Tx,
  { requestId, accountId, keyId, period }: DurableHold,
  { charge, note }: { charge: Charge | null; note?: string },
): Promise<boolean> {
  const [outcome] = await endHolds(tx, [
    { requestId, accountId, period, charge: charge && { ...charge, keyId }, note },
  ]);
  return outcome === "ended";
}
