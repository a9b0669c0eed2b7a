import type { AccountId } from "@/server/base/ids";
import type { Nanos } from "@/server/base/money";
import type { Tx } from "@/server/db";
import { insertHolds, type Shortfall } from "./holds";
import type { Payer } from "./months";
import { type Charge, endHolds } from "./settlements";

/** Money frozen for work that outlives its process: no lease, so it ends with its work and never by itself. */
type DurableHold = { requestId: string; accountId: AccountId; period: string };

/** Longer than any work: the sweeper of the dead's money never comes to it. */
const NO_LEASE_SECONDS = 100 * 365 * 86_400;

/**
 * Freezes `amount` nano-units within the caller's transaction, all or nothing. Answers what was short, or null when
 * the money is frozen; else the transaction is to be rolled back, for it holds the month's row
 * (`Billing.openMonthsAndReclaim` may help, outside of it).
 */
export async function holdDurably(
  tx: Tx,
  want: Payer & { requestId: string; amount: Nanos },
): Promise<Shortfall | null> {
  const [outcome] = await insertHolds(tx, [{ ...want, minimum: want.amount }], NO_LEASE_SECONDS);
  return outcome && outcome.granted === null ? (outcome.shortage ?? "account") : null;
}

/**
 * Ends a lasting hold within the caller's transaction: by a charge, or (null) by returning the money. Answers false
 * when it had ended before; then nothing is changed.
 */
export async function endDurableHold(
  tx: Tx,
  hold: DurableHold,
  end: { charge: Charge | null; note?: string },
): Promise<boolean> {
  const [outcome] = await endHolds(tx, [{ ...hold, ...end }]);
  return outcome === "ended";
}
