import fc from "fast-check";
import { expect, test } from "vitest";
import { createCalendar } from "@/server/domain/period";
import { currentWindows, windowsAt } from "./windows";

const at = (text: string, timeZone = "UTC") => currentWindows(timeZone, new Date(text));
const iso = (moment: Date | null | undefined) => moment?.toISOString() ?? null;

test.each<[string, string, [from: string | null, until: string]]>([
  // Days with 23 and with 25 hours.
  ["America/New_York", "2026-03-08T12:00:00Z", ["2026-03-08T05:00:00.000Z", "2026-03-09T04:00:00.000Z"]],
  ["America/New_York", "2026-11-02T04:59:59Z", [null, "2026-11-02T05:00:00.000Z"]],
  ["America/New_York", "2026-11-02T05:00:00Z", ["2026-11-02T05:00:00.000Z", "2026-11-03T05:00:00.000Z"]],
  // A day without a midnight.
  ["America/Asuncion", "2024-10-06T12:00:00Z", ["2024-10-06T04:00:00.000Z", "2024-10-07T03:00:00.000Z"]],
  ["Asia/Shanghai", "2026-11-25T15:59:59Z", ["2026-11-24T16:00:00.000Z", "2026-11-25T16:00:00.000Z"]],
  // In a zone with a half-hour offset, a day begins with the UTC hour that contains its start.
  ["Asia/Kolkata", "2026-11-25T18:00:00Z", ["2026-11-25T18:00:00.000Z", "2026-11-26T18:00:00.000Z"]],
  ["Asia/Kolkata", "2026-11-25T17:59:59Z", ["2026-11-24T18:00:00.000Z", "2026-11-25T18:00:00.000Z"]],
])("in %s the day of %s is %j", (timeZone, moment, hours) => {
  const { day } = at(moment, timeZone);
  expect([iso(day.from), iso(day.until)]).toEqual(hours);
});

test.each<[string, string, from: string | null, before: string | null, continues?: boolean]>([
  ["2026-12-28T00:00:00Z", "2026-12-28", "2026-12-28", null, true],
  ["2026-12-31T23:59:59Z", "2026-12-28", "2026-12-28", null, true],
  ["2027-01-01T00:00:00Z", "2026-12-28", null, "2026-12-28"],
  ["2027-01-03T23:59:59Z", "2026-12-28", null, "2026-12-28"],
  ["2027-01-04T00:00:00Z", "2027-01-04", "2027-01-04", null],
  // A month that begins on a Monday, and one that ends on a Sunday.
  ["2026-06-03T12:00:00Z", "2026-06-01", null, null],
  ["2026-05-31T12:00:00Z", "2026-05-25", "2026-05-25", null],
])(
  "the week of %s lasts from Monday to Sunday, across months and years",
  (...[moment, monday, begun, earlier, on]) => {
    const { day, from, before, continues } = at(moment).week;
    const midnight = (text: string | null) => text && `${text}T00:00:00.000Z`;
    expect({ day, from: iso(from), before: before && [before.period, iso(before.from)], continues }).toEqual({
      ...{ day: monday, from: midnight(begun), continues: on === true },
      before: earlier && [earlier.slice(0, 7), midnight(earlier)],
    });
  },
);

test("the week across the end of the year ends for both months at the same moment", () => {
  expect(iso(at("2026-12-30T12:00:00Z").week.until)).toBe("2027-01-04T00:00:00.000Z");
  expect(iso(at("2027-01-02T12:00:00Z").week.until)).toBe("2027-01-04T00:00:00.000Z");
});

test("money that is frozen in a month that is over, or has not begun, counts on the last day of the month, or on its first", () => {
  const month = { period: "2026-12", timeZone: "UTC" };
  expect(windowsAt(new Date("2027-01-02T12:00:00Z"), month).day.day).toBe("2026-12-31");
  expect(windowsAt(new Date("2026-11-30T23:59:59Z"), month).day).toMatchObject({
    day: "2026-12-01",
    from: null,
  });
});

test("in every zone each moment is in its day and week, which are whole hours of its month", () => {
  const zone = fc.constantFrom(...Intl.supportedValuesOf("timeZone"));
  const moment = fc.date({ min: new Date("2024-01-01"), max: new Date("2030-01-01"), noInvalidDate: true });
  fc.assert(
    fc.property(zone, moment, (timeZone, now) => {
      const { day, week } = currentWindows(timeZone, now);
      expect(day.period).toBe(createCalendar(timeZone)(now));
      for (const window of [day, week]) {
        expect(window.until.getTime()).toBeGreaterThan(now.getTime());
        const from = window.from ?? window.before?.from;
        expect((from?.getTime() ?? 0) % 3_600_000).toBe(0);
        expect(from?.getTime() ?? 0).toBeLessThanOrEqual(now.getTime());
      }
      expect(week.from?.getTime() ?? 0).toBeLessThanOrEqual(day.from?.getTime() ?? Number.POSITIVE_INFINITY);
    }),
    { numRuns: 300 },
  );
});
