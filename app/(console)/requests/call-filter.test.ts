import { expect, test } from "vitest";
import { type CallParameters, chooseRange, noFilter, rangeOf, toQuery } from "./call-filter";

const now = Date.parse("2026-05-01T12:00:00Z");
const none: CallParameters = { ...noFilter, sort: "-time", live: false, request: null };

test("a range counts back from when it was chosen", () => {
  expect(toQuery({ ...none, range: "hour" }, now)).toEqual({ from: "2026-05-01T11:00:00.000Z" });
  expect(toQuery({ ...none, range: "week" }, now)).toEqual({ from: "2026-04-24T12:00:00.000Z" });
});

test("a link that names a moment has a range of its own, whatever range it names", () => {
  const from = new Date("2026-04-30T00:00:00Z");
  expect(rangeOf({ ...none, range: "hour", from })).toBe("custom");
  expect(toQuery({ ...none, range: "hour", from }, now)).toEqual({ from: from.toISOString() });
});

test("choosing a range forgets the moments of the one before", () => {
  expect(chooseRange("day", now)).toEqual({ range: "day", from: null, until: null });
  const expected = { range: "custom", from: new Date("2026-04-30T12:00:00Z"), until: null };
  expect(chooseRange("custom", now)).toEqual(expected);
});

test("nothing is asked for that was not chosen", () => {
  expect(toQuery({ ...none, live: true, request: "req_1" }, now)).toEqual({});
  expect(toQuery({ ...none, key: "key_1", account: "acc_1", status: "failed" }, now)).toEqual({
    keyId: "key_1",
    accountId: "acc_1",
    status: "failed",
  });
});
