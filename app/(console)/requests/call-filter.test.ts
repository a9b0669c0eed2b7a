import { expect, test } from "vitest";
import { type CallParameters, chooseRange, dayOfSpan, noFilter, rangeOf, toQuery } from "./call-filter";

const now = Date.parse("2026-05-01T12:00:00Z");
const none: CallParameters = { ...noFilter, sort: "-time", live: false, request: null };

test("a range counts back from the moment at which it was chosen", () => {
  expect(toQuery({ ...none, range: "hour" }, now)).toEqual({ from: "2026-05-01T11:00:00.000Z" });
  expect(toQuery({ ...none, range: "week" }, now)).toEqual({ from: "2026-04-24T12:00:00.000Z" });
});

test('a link with a moment has the range "custom", whatever range it names', () => {
  const from = new Date("2026-04-30T00:00:00Z");
  expect(rangeOf({ ...none, range: "hour", from })).toBe("custom");
  expect(toQuery({ ...none, range: "hour", from }, now)).toEqual({ from: from.toISOString() });
});

test("choosing a range removes the moments of the previous one", () => {
  expect(chooseRange("day", now)).toEqual({ range: "day", from: null, until: null });
  const expected = { range: "custom", from: new Date("2026-04-30T12:00:00Z"), until: null };
  expect(chooseRange("custom", now)).toEqual(expected);
});

test("a query has only the chosen filters", () => {
  expect(toQuery({ ...none, live: true, request: "req_1" }, now)).toEqual({});
  expect(toQuery({ ...none, key: "key_1", account: "acc_1", status: "failed" }, now)).toEqual({
    keyId: "key_1",
    accountId: "acc_1",
    status: "failed",
  });
});

test("requests of one day or hour are of that day of the billing zone, and others of none", () => {
  const dayOf = (from: string | null, until: string | null) =>
    dayOfSpan({ from: from ? new Date(from) : null, until: until ? new Date(until) : null }, "Asia/Shanghai");
  expect(dayOf("2026-11-27T16:00:00Z", "2026-11-28T16:00:00Z")).toBe("2026-11-28");
  expect(dayOf("2026-11-28T02:00:00Z", "2026-11-28T03:00:00Z")).toBe("2026-11-28");
  expect(dayOf("2026-11-28T00:00:00Z", "2026-11-29T00:00:00Z")).toBeNull();
  expect(dayOf("2026-11-01T16:00:00Z", "2026-11-28T16:00:00Z")).toBeNull();
  expect([dayOf(null, "2026-11-28T16:00:00Z"), dayOf("2026-11-28T16:00:00Z", null)]).toEqual([null, null]);
});
