import { dayOf, daysLater, startOfDay } from "@/server/domain/days";
import type { UsageRange } from "@/server/domain/enums";
import {
  createCalendar,
  currentPeriod,
  periodAfter,
  periodBefore,
  periodBounds,
} from "@/server/domain/period";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A span of hours and the months that it touches. */
export type UsageSpan = {
  from: Date;
  until: Date;
  firstPeriod: string;
  lastPeriod: string;
  /**
   * The span starts with its first month, so every hour row of that month counts, also one dated in the month before.
   */
  isFromStart: boolean;
  /** The same for its end: a call that was charged after its month had ended counts for that month. */
  isToEnd: boolean;
};

export const pointUnits = ["hour", "day", "month"] as const;
type PointUnit = (typeof pointUnits)[number];

/** The requested span: a range, or days in the billing zone, both included. */
export type AskedSpan = {
  range?: UsageRange | undefined;
  from?: string | undefined;
  to?: string | undefined;
};

type At = { now: Date; timeZone: string };

const floorHour = (moment: number) => Math.floor(moment / HOUR_MS) * HOUR_MS;
const ceilHour = (moment: number) => Math.ceil(moment / HOUR_MS) * HOUR_MS;

function spanOf(from: Date, until: Date, timeZone: string): UsageSpan {
  const periodOf = createCalendar(timeZone);
  const firstPeriod = periodOf(from);
  const lastPeriod = periodOf(new Date(until.getTime() - 1));
  return {
    from,
    until,
    firstPeriod,
    lastPeriod,
    isFromStart: periodBounds(firstPeriod, timeZone).start.getTime() === from.getTime(),
    isToEnd: periodBounds(lastPeriod, timeZone).end.getTime() === until.getTime(),
  };
}

/** The days from `first` to `last` in the billing zone, both included. */
export const spanOfDays = (first: string, last: string, timeZone: string): UsageSpan =>
  spanOf(startOfDay(first, timeZone), startOfDay(daysLater(last, 1), timeZone), timeZone);

/** The whole month. */
export function monthSpan(period: string, timeZone: string): UsageSpan {
  const { start, end } = periodBounds(period, timeZone);
  return spanOf(start, end, timeZone);
}

/** Resolves a requested span. Days in the wrong order are swapped; a missing day is today, or the other day. */
export function resolveSpan(query: AskedSpan, { now, timeZone }: At): UsageSpan {
  const today = dayOf(now, timeZone);
  if (query.from !== undefined || query.to !== undefined) {
    const last = query.to ?? today;
    const [first = last, end = last] = [query.from ?? last, last].sort();
    return spanOfDays(first, end, timeZone);
  }
  const period = currentPeriod(timeZone, now);
  switch (query.range ?? "month") {
    case "day": {
      const until = floorHour(now.getTime()) + HOUR_MS;
      return spanOf(new Date(until - DAY_MS), new Date(until), timeZone);
    }
    case "today":
      return spanOfDays(today, today, timeZone);
    case "yesterday": {
      const yesterday = daysLater(today, -1);
      return spanOfDays(yesterday, yesterday, timeZone);
    }
    case "week":
      return spanOfDays(daysLater(today, -6), today, timeZone);
    case "30-days":
      return spanOfDays(daysLater(today, -29), today, timeZone);
    case "month":
      return monthSpan(period, timeZone);
    case "last-month":
      return monthSpan(periodBefore(period), timeZone);
  }
}

/** The same number of months or days right before the span. */
function wholeBefore(span: UsageSpan, timeZone: string): UsageSpan {
  const { from, until } = span;
  if (span.isFromStart && span.isToEnd) {
    let first = span.firstPeriod;
    for (let month = span.firstPeriod; month <= span.lastPeriod; month = periodAfter(month)) {
      first = periodBefore(first);
    }
    return spanOf(periodBounds(first, timeZone).start, from, timeZone);
  }
  if (dayOf(new Date(from.getTime() - 1), timeZone) === dayOf(from, timeZone)) {
    return spanOf(new Date(2 * from.getTime() - until.getTime()), from, timeZone);
  }
  const first = dayOf(from, timeZone);
  const days = Math.round((until.getTime() - from.getTime()) / DAY_MS);
  return spanOf(startOfDay(daysLater(first, -days), timeZone), from, timeZone);
}

/** The span for comparison: the one before. If the span has not ended, only as much of it as has passed. */
export function spanBefore(span: UsageSpan, { now, timeZone }: At): UsageSpan {
  const before = wholeBefore(span, timeZone);
  const passed = ceilHour(now.getTime()) - span.from.getTime();
  const until = before.from.getTime() + passed;
  const isWhole = now >= span.until || passed <= 0 || until >= before.until.getTime();
  return isWhole ? before : spanOf(before.from, new Date(until), timeZone);
}

/** The points of a chart: hours for up to two days, days for up to three months, otherwise months. */
export function pointsOfSpan(
  { from, until, firstPeriod, lastPeriod }: UsageSpan,
  timeZone: string,
): { unit: PointUnit; points: string[] } {
  const length = until.getTime() - from.getTime();
  if (length <= 2 * DAY_MS) {
    const first = floorHour(from.getTime());
    const points = Array.from({ length: Math.ceil((until.getTime() - first) / HOUR_MS) }, (_, hour) =>
      new Date(first + hour * HOUR_MS).toISOString().slice(0, "2026-05-31T08".length),
    );
    return { unit: "hour", points };
  }
  const points: string[] = [];
  if (length <= 93 * DAY_MS) {
    const last = dayOf(new Date(until.getTime() - 1), timeZone);
    for (let day = dayOf(from, timeZone); day <= last; day = daysLater(day, 1)) {
      points.push(day);
    }
    return { unit: "day", points };
  }
  for (let month = firstPeriod; month <= lastPeriod; month = periodAfter(month)) {
    points.push(month);
  }
  return { unit: "month", points };
}

/** The first hours of a chart's points, in order. */
export function startsOfPoints(
  { unit, points }: { unit: PointUnit; points: string[] },
  timeZone: string,
): Date[] {
  const startOf = {
    hour: (point: string) => new Date(`${point}:00Z`),
    day: (point: string) => startOfDay(point, timeZone),
    month: (point: string) => periodBounds(point, timeZone).start,
  }[unit];
  return points.map((point) => new Date(floorHour(startOf(point).getTime())));
}
