import { expect, test } from "vitest";
import { type AskedSpan, pointsOfSpan, resolveSpan, spanBefore } from "./usage-span";

/** Noon of a Friday in Shanghai. */
const now = new Date("2026-05-15T04:30:00Z");
const timeZone = "Asia/Shanghai";
const at = { now, timeZone };

const bounds = ({ from, until }: { from: Date; until: Date }) => [from.toISOString(), until.toISOString()];
const endsWithComparison = (query: AskedSpan) => {
  const span = resolveSpan(query, at);
  return [bounds(span), bounds(spanBefore(span, at))];
};

test.each([
  ["today", "2026-05-14T16", "2026-05-15T16", "2026-05-13T16", "2026-05-14T05"],
  ["yesterday", "2026-05-13T16", "2026-05-14T16", "2026-05-12T16", "2026-05-13T16"],
  ["day", "2026-05-14T05", "2026-05-15T05", "2026-05-13T05", "2026-05-14T05"],
  ["week", "2026-05-08T16", "2026-05-15T16", "2026-05-01T16", "2026-05-08T05"],
  ["30-days", "2026-04-15T16", "2026-05-15T16", "2026-03-16T16", "2026-04-15T05"],
  ["month", "2026-04-30T16", "2026-05-31T16", "2026-03-31T16", "2026-04-15T05"],
  ["last-month", "2026-03-31T16", "2026-04-30T16", "2026-02-28T16", "2026-03-31T16"],
] as const)(
  "the range %s, and the range before it, begin and end at hours of the billing zone",
  (range, ...hours) => {
    expect(endsWithComparison({ range }).flat()).toEqual(hours.map((hour) => `${hour}:00:00.000Z`));
  },
);

test("days are those of the billing zone, in either order, and a single day is one day", () => {
  const yesterday = [
    ["2026-05-13T16:00:00.000Z", "2026-05-14T16:00:00.000Z"],
    ["2026-05-12T16:00:00.000Z", "2026-05-13T16:00:00.000Z"],
  ];
  expect(endsWithComparison({ from: "2026-05-14", to: "2026-05-14" })).toEqual(yesterday);
  expect(endsWithComparison({ to: "2026-05-14" })).toEqual(yesterday);
  expect(endsWithComparison({ from: "2026-05-14", to: "2026-05-12" })).toEqual(
    endsWithComparison({ from: "2026-05-12", to: "2026-05-14" }),
  );
  expect(endsWithComparison({ from: "2026-05-14" })[0]).toEqual([
    "2026-05-13T16:00:00.000Z",
    "2026-05-15T16:00:00.000Z",
  ]);
});

test("whole months are compared with as many months before, and count as whole months of the ledger", () => {
  const span = resolveSpan({ from: "2026-03-01", to: "2026-04-30" }, at);
  const whole = { isFromStart: true, isToEnd: true };
  expect(span).toMatchObject({ ...whole, firstPeriod: "2026-03", lastPeriod: "2026-04" });
  const expected = { firstPeriod: "2026-01", lastPeriod: "2026-02", isToEnd: true };
  expect(spanBefore(span, at)).toMatchObject(expected);
  expect(resolveSpan({ range: "week" }, at)).toMatchObject({ isFromStart: false, isToEnd: false });
});

test("a chart has hours, days or months, so that its points can be drawn", () => {
  const points = (query: AskedSpan) => pointsOfSpan(resolveSpan(query, at), timeZone);
  expect(points({ range: "day" })).toMatchObject({ unit: "hour", points: { length: 24 } });
  expect(points({ range: "week" }).points).toEqual(
    ["09", "10", "11", "12", "13", "14", "15"].map((day) => `2026-05-${day}`),
  );
  expect(points({ range: "month" })).toMatchObject({ unit: "day", points: { length: 31 } });
  expect(points({ from: "2026-01-15", to: "2026-05-01" })).toEqual({
    unit: "month",
    points: ["2026-01", "2026-02", "2026-03", "2026-04", "2026-05"],
  });
});

test("a day on which clocks change has its real length", () => {
  const span = resolveSpan({ from: "2026-03-29", to: "2026-03-29" }, { now, timeZone: "Europe/Berlin" });
  expect(bounds(span)).toEqual(["2026-03-28T23:00:00.000Z", "2026-03-29T22:00:00.000Z"]);
  const before = spanBefore(span, { now, timeZone: "Europe/Berlin" });
  expect(bounds(before)).toEqual(["2026-03-27T23:00:00.000Z", "2026-03-28T23:00:00.000Z"]);
});
