import { dayOf, daysLater, floorHour, startOfDay } from "@/server/domain/days";
import { createCalendar, periodAfter, periodBefore } from "@/server/domain/period";

const HOUR_MS = 3_600_000;

/**
 * A day or a week within a billing month, in whole UTC hours, like the hourly sums: in a zone with a half-hour offset,
 * a day begins with the UTC hour that contains its start.
 */
export type CapWindowSpan = {
  /** The window's first day, in the billing zone. */
  day: string;
  period: string;
  /** The window's first hour. null: it begins with its month, or in the month before. */
  from: Date | null;
  /** If the window begins in the month before: that month, and its first hour there. */
  before: { period: string; from: Date } | null;
  /** Whether the window continues in the next month. */
  continues: boolean;
  /** When the next window begins. */
  until: Date;
};

export type Windows = Record<"day" | "week", CapWindowSpan>;

const lastDayOf = (period: string) => daysLater(`${periodAfter(period)}-01`, -1);

/** The Monday (2026-11-30) of a day's week (ISO 8601). */
const mondayOf = (day: string): string => daysLater(day, -((new Date(day).getUTCDay() + 6) % 7));

function windowOf(period: string, timeZone: string, [first, next]: [string, string]): CapWindowSpan {
  const [begin, end] = [`${period}-01`, lastDayOf(period)];
  const hourOf = (day: string) => floorHour(startOfDay(day, timeZone));
  return {
    day: first,
    period,
    from: first > begin ? hourOf(first) : null,
    before: first < begin ? { period: periodBefore(period), from: hourOf(first) } : null,
    continues: daysLater(next, -1) > end,
    // The end of a month is exact to the minute, not rounded to a UTC hour.
    until: next === `${periodAfter(period)}-01` ? startOfDay(next, timeZone) : hourOf(next),
  };
}

/**
 * The day and the week of a moment within a month. If the moment is outside the month, those of the month's first or
 * last day.
 */
export function windowsAt(moment: Date, { period, timeZone }: { period: string; timeZone: string }): Windows {
  const today = dayOf(new Date(floorHour(moment).getTime() + HOUR_MS - 1), timeZone);
  const [first, last] = [`${period}-01`, lastDayOf(period)];
  const [day = today] = [[first, today].sort().at(-1) ?? today, last].sort();
  const monday = mondayOf(day);
  return {
    day: windowOf(period, timeZone, [day, daysLater(day, 1)]),
    week: windowOf(period, timeZone, [monday, daysLater(monday, 7)]),
  };
}

/** The windows of the present moment, for single requests. */
export const currentWindows = (timeZone: string, moment: Date): Windows =>
  windowsAt(moment, { period: createCalendar(timeZone)(moment), timeZone });
