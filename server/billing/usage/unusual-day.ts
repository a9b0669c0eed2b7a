import { type Nanos, nanos } from "@/server/base/money";
import { FEWEST_DAYS, usualBelow } from "@/server/domain/usual-spend";

/** Days before a day that show what is usual: four weeks. */
export const DAYS_BEFORE = 28;
const WEEK = 7;
/** Fewer of the same weekday do not show what is usual on it. */
const FEWEST_WEEKS = 3;

/** A day's charges. Nano-units. */
export type DayAmount = { day: string; amount: Nanos };

/** A day far above the usual. `times`: how often it contains the usual amount, to a tenth; null: usually nothing. */
export type UnusualDay = { day: string; amount: Nanos; usual: Nanos; times: number | null };

/** The days in order that are as many whole weeks before the last one. */
const sameWeekdays = (before: readonly bigint[]) =>
  before.filter((_, place) => (before.length - place) % WEEK === 0);

/**
 * Returns the usual spend if a day is far above it, also above that of its weekday, so that a weekly batch is not
 * unusual; null: it is not. Someone who usually spends nothing is surprised only by far more than ever before.
 */
function usualOf(spent: bigint, before: readonly bigint[]): bigint | null {
  if (before.length < FEWEST_DAYS) {
    return null;
  }
  const weekdays = sameWeekdays(before);
  const ofDays = usualBelow(spent, before);
  const ofWeekdays = weekdays.length < FEWEST_WEEKS ? 0n : usualBelow(spent, weekdays);
  if (ofDays === null || ofWeekdays === null) {
    return null;
  }
  const usual = ofDays > ofWeekdays ? ofDays : ofWeekdays;
  return usual > 0n || before.every((amount) => spent > 3n * amount) ? usual : null;
}

/**
 * Returns the last of the `shownDays` days whose charges are far above the usual of the four weeks before it. `days`: each
 * day in order, without gaps, up to the last shown one. Days before the first charge do not count.
 */
export function findUnusualDay(days: readonly DayAmount[], shownDays: number): UnusualDay | null {
  const begun = days.findIndex(({ amount }) => amount > 0n);
  for (let place = days.length - 1; place >= Math.max(0, days.length - shownDays) && begun >= 0; place--) {
    const { day, amount } = days[place] ?? { day: "", amount: nanos(0n) };
    const before = days.slice(Math.max(begun, place - DAYS_BEFORE, 0), place).map((one) => one.amount);
    const usual = usualOf(amount, before);
    if (usual !== null) {
      const times = usual > 0n ? Number((amount * 10n) / usual) / 10 : null;
      return { day, amount, usual: nanos(usual), times };
    }
  }
  return null;
}
