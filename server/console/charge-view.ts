import { formatMoney, nanos } from "@/server/base/money";
import { findCharges } from "@/server/billing";
import type { AccountId } from "@/server/domain/ids";
import type { Runtime } from "@/server/runtime/runtime";

/** The charge of a call as a decimal string in currency units, `"0"` if its money was returned; null: no charge yet. */
export async function showCharge(
  { db }: Runtime,
  { requestId, accountId }: { requestId: string; accountId: AccountId },
) {
  const entry = (await findCharges(db, [{ id: requestId, accountId }])).get(requestId);
  if (!entry) {
    return null;
  }
  const isCharged = entry.kind === "capture";
  return { isCharged, cost: formatMoney(isCharged ? entry.amount : nanos(0n)) };
}
