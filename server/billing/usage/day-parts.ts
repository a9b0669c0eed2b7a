import { type SQL, sql } from "drizzle-orm";
import { dayOf, daysLater, floorHour, startOfDay } from "@/server/domain/days";
import type { UsageSpan } from "./usage-span";

/** From the first hour, to the one before `until`. null: no limit. */
export type Hours = { from: Date | null; until: Date | null };

type SpanEnds = Pick<UsageSpan, "from" | "until" | "isFromStart" | "isToEnd">;

/** The first hour of a day: within a month hours are whole in UTC, so it contains the day's start. */
export const firstHourOf = (day: string, timeZone: string): Date => floorHour(startOfDay(day, timeZone));

/** The first hours of days or of a chart's points for a statement, which reads their texts once and not for each row. */
export const startsArray = (starts: Date[]): SQL =>
  sql`(select ${sql.param(starts.map((start) => start.toISOString()))}::text[]::timestamptz[])`;

/** For a statement: the first hour of the day that contains its column `hour`, of the days that begin at `starts`. */
export function dayOfHour(starts: Date[]): SQL {
  const days = startsArray(starts);
  return sql`(${days})[width_bucket(hour, ${days})]`;
}

/** The first hours of the days around an hour, in order: of the one that contains it at the latest, and of the next. */
function daysAround(hour: Date, timeZone: string): Date[] {
  const day = dayOf(hour, timeZone);
  return [-1, 0, 1, 2].map((days) => firstHourOf(daysLater(day, days), timeZone));
}

/** The first hour of the day that begins at an hour or after it. */
const nextDay = (hour: Date, timeZone: string) =>
  daysAround(hour, timeZone).find((start) => start >= hour) ?? hour;

/** The first hour of the day that contains an hour. */
export const dayWith = (hour: Date, timeZone: string): Date =>
  daysAround(hour, timeZone).findLast((start) => start <= hour) ?? hour;

/**
 * Splits a span into whole days whose sums are written (`summedUntil`: up to there; null: none are), and the hours before
 * and after them.
 */
export function partsOf(
  span: SpanEnds,
  { summedUntil, timeZone }: { summedUntil: Date | null; timeZone: string },
): { days: Hours | null; hours: Hours[] } {
  const from = span.isFromStart ? null : floorHour(span.from);
  const until = span.isToEnd ? null : floorHour(span.until);
  const first = from && nextDay(from, timeZone);
  if (summedUntil === null) {
    return { days: null, hours: [{ from, until }] };
  }
  const last = until === null || until >= summedUntil ? summedUntil : dayWith(until, timeZone);
  if (first !== null && first >= last) {
    return { days: null, hours: [{ from, until }] };
  }
  const before = first === null || from === null || from >= first ? [] : [{ from, until: first }];
  const after = until !== null && until <= last ? [] : [{ from: last, until }];
  return { days: { from: first, until: last }, hours: [...before, ...after] };
}

/** Splits a span into the hours that are summed over all accounts (up to `summedUntil`), and the rest. null: it has none. */
export function splitAt(
  span: SpanEnds,
  summedUntil: Date | null,
): { summed: Hours | null; rest: Hours | null } {
  const from = span.isFromStart ? null : floorHour(span.from);
  const until = span.isToEnd ? null : floorHour(span.until);
  if (summedUntil === null || (from !== null && from >= summedUntil)) {
    return { summed: null, rest: { from, until } };
  }
  return until !== null && until <= summedUntil
    ? { summed: { from, until }, rest: null }
    : { summed: { from, until: summedUntil }, rest: { from: summedUntil, until } };
}
