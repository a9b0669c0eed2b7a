import { formatMoney, type Nanos, nanos, parseMoney } from "@/server/base/money";

type DayAmount = { day: string; amount: string };

/** With fewer full days an average says little. */
const FEW_DAYS = 3;

const sum = (days: readonly DayAmount[]): Nanos =>
  nanos(days.reduce((total, { amount }) => total + (parseMoney(amount) ?? 0n), 0n));

const DAY_MS = 86_400_000;

/**
 * Today's spend, and the mean of the days before today, from the first with charges on: null while they are fewer than
 * three. Both are decimal strings in currency units. `days`: in order; `today`: YYYY-MM-DD.
 */
export function todayAndAverage(
  days: readonly DayAmount[],
  today: string,
): { amount: string; averageDay: string | null } {
  const first = days[0]?.day ?? today;
  const fullDays = Math.round((Date.parse(today) - Date.parse(first)) / DAY_MS);
  const before = sum(days.filter(({ day }) => day < today));
  return {
    amount: formatMoney(sum(days.filter(({ day }) => day === today))),
    averageDay: fullDays < FEW_DAYS ? null : formatMoney(nanos(before / BigInt(fullDays))),
  };
}
