import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createCalendar, currentPeriod, periodBounds } from "./period";

describe("the billing month", () => {
  // The last millisecond of one month and the first of the next, as the zone's own clocks show them.
  test.each([
    ["UTC", "2026-03-01T00:00:00Z", "2026-02", "2026-03"],
    ["UTC", "2028-03-01T00:00:00Z", "2028-02", "2028-03"],
    ["Asia/Shanghai", "2025-12-31T16:00:00Z", "2025-12", "2026-01"],
    ["Asia/Shanghai", "2026-06-30T16:00:00Z", "2026-06", "2026-07"],
    // Standard time, then daylight saving time: UTC-5, then UTC-4.
    ["America/New_York", "2026-03-01T05:00:00Z", "2026-02", "2026-03"],
    ["America/New_York", "2026-04-01T04:00:00Z", "2026-03", "2026-04"],
    // The clocks change on the first of the month itself: it begins in daylight saving time.
    ["America/New_York", "2026-11-01T04:00:00Z", "2026-10", "2026-11"],
    ["Asia/Kolkata", "2026-06-30T18:30:00Z", "2026-06", "2026-07"],
    ["Asia/Kathmandu", "2026-06-30T18:15:00Z", "2026-06", "2026-07"],
    ["Pacific/Kiritimati", "2026-06-30T10:00:00Z", "2026-06", "2026-07"],
    ["Pacific/Pago_Pago", "2026-07-01T11:00:00Z", "2026-06", "2026-07"],
  ])("in %s begins at %s, from %s to %s", (timeZone, turn, ...months) => {
    const at = new Date(turn).getTime();
    const periodOf = createCalendar(timeZone);
    const [before, after] = months;
    const periods = [at - 1, at, at + 1, at - 1].map((time) => periodOf(new Date(time)));
    expect(periods).toEqual([before, after, after, before]);
  });

  test("does not end at a change of the clocks in its middle", () => {
    const periodOf = createCalendar("America/New_York");
    for (const moment of ["2026-03-08T06:59:59Z", "2026-03-08T07:00:00Z", "2026-11-01T05:59:59.999Z"]) {
      expect(periodOf(new Date(moment))).toBe(moment.slice(0, 7));
    }
  });

  test("is the same for each moment, in whatever order moments are asked for", () => {
    const zone = fc.constantFrom("UTC", "Asia/Shanghai", "America/New_York", "Europe/Lisbon", "Asia/Kolkata");
    const day = 86_400_000;
    const moment = fc
      .record({ month: fc.integer({ min: 0, max: 120 }), offsetMs: fc.integer({ min: -day, max: day }) })
      .map(({ month, offsetMs }) => new Date(Date.UTC(2022, month, 1) + offsetMs));
    fc.assert(
      fc.property(zone, fc.array(moment, { minLength: 1, maxLength: 20 }), (timeZone, moments) => {
        const periodOf = createCalendar(timeZone);
        for (const each of moments) {
          const period = periodOf(each);
          expect(period).toMatch(/^20\d\d-(0[1-9]|1[0-2])$/);
          expect(period).toBe(currentPeriod(timeZone, each));
        }
      }),
      { numRuns: 50 },
    );
  });
});

describe("the bounds of a billing month", () => {
  test.each([
    ["UTC", "2028-02", "2028-02-01T00:00:00Z", "2028-03-01T00:00:00Z"],
    ["Asia/Shanghai", "2025-12", "2025-11-30T16:00:00Z", "2025-12-31T16:00:00Z"],
    // It begins in standard time and ends in daylight saving time, or the other way round.
    ["America/New_York", "2026-03", "2026-03-01T05:00:00Z", "2026-04-01T04:00:00Z"],
    ["America/New_York", "2026-11", "2026-11-01T04:00:00Z", "2026-12-01T05:00:00Z"],
    ["Australia/Lord_Howe", "2026-04", "2026-03-31T13:00:00Z", "2026-04-30T13:30:00Z"],
    ["Asia/Kathmandu", "2026-06", "2026-05-31T18:15:00Z", "2026-06-30T18:15:00Z"],
    ["Pacific/Kiritimati", "2026-06", "2026-05-31T10:00:00Z", "2026-06-30T10:00:00Z"],
    ["Pacific/Pago_Pago", "2026-06", "2026-06-01T11:00:00Z", "2026-07-01T11:00:00Z"],
    // The clocks skip the first hour of April.
    ["Asia/Amman", "2011-04", "2011-03-31T22:00:00Z", "2011-04-30T21:00:00Z"],
  ])("in %s for %s are %s and %s", (timeZone, period, ...moments) => {
    const { start, end } = periodBounds(period, timeZone);
    expect([start, end]).toEqual(moments.map((moment) => new Date(moment)));
  });

  test("are the first moment of the month and the first of the next one, in any zone", () => {
    const zone = fc.constantFrom(...Intl.supportedValuesOf("timeZone"));
    fc.assert(
      fc.property(zone, fc.integer({ min: 0, max: 300 }), (timeZone, month) => {
        const period = new Date(Date.UTC(2015, month, 1)).toISOString().slice(0, 7);
        const { start, end } = periodBounds(period, timeZone);
        const at = (moment: Date, offsetMs: number) =>
          currentPeriod(timeZone, new Date(moment.getTime() + offsetMs));
        expect(at(start, -1) < period).toBe(true);
        expect([at(start, 0), at(end, -1)]).toEqual([period, period]);
        expect(at(end, 0) > period).toBe(true);
        expect(periodBounds(at(end, 0), timeZone).start).toEqual(end);
      }),
      { numRuns: 200 },
    );
  });
});
