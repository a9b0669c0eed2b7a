import { formatMoney, type Nanos, nanos, parseMoney } from "@/server/base/money";

type DayAmount = { day: string; amount: string };

/** With fewer full days an average says little. */
const FEW_DAYS = 3;

const sum = (days: readonly DayAmount[]): Nanos =>
  nanos(days.reduce((total, { amount }) => total + (parseMoney(amount) ?? 0n), 0n));

/**
 * Today's spend, and the mean of the month's days before today: null while they are fewer than three. Both are decimal
 * strings in currency units. `today`: YYYY-MM-DD.
 */
export function spendToday(
  days: readonly DayAmount[],
  today: string,
): { amount: string; averageDay: string | null } {
  const fullDays = Number(today.slice(-2)) - 1;
  const before = sum(days.filter(({ day }) => day < today));
  return {
    amount: formatMoney(sum(days.filter(({ day }) => day === today))),
    averageDay: fullDays < FEW_DAYS ? null : formatMoney(nanos(before / BigInt(fullDays))),
  };
}
