import { formatMoney, nanos, parseMoney } from "@/server/base/money";
import type { QuotaMonth } from "./quota-bar";

/** A hundredth of a currency unit in nano-units. */
const CENT = 10_000_000n;

const nanosOf = (decimal: string): bigint => parseMoney(decimal) ?? 0n;

/** In whole cents; an amount below a cent is shown as "< 0.01", and counts as one. */
function centsOf(decimal: string): bigint {
  const amount = nanosOf(decimal);
  const magnitude = amount < 0n ? -amount : amount;
  const cents = magnitude > 0n && magnitude < CENT ? 1n : (magnitude + CENT / 2n) / CENT;
  return amount < 0n ? -cents : cents;
}

/**
 * A month's available amount in cents, as a decimal string: exactly what is left of the other figures as they are shown
 * with two decimals. Rounded by itself it could differ from them by two cents. An amount below a cent stays as it is.
 */
export function displayedAvailable(month: QuotaMonth): string {
  const granted = centsOf(month.quota) + centsOf(month.topups) + centsOf(month.refunds ?? "0");
  const left = granted - centsOf(month.used) - centsOf(month.frozen);
  const exact = nanosOf(month.available);
  const isShownWrong = left === 0n || left < 0n !== exact < 0n;
  return isShownWrong ? month.available : formatMoney(nanos(left * CENT));
}
