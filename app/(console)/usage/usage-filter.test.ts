import { expect, test } from "vitest";
import { growth } from "../_components/charts/growth";
import { dayIn, rangeOf } from "../_components/fields/span-parameters";
import { callsOf, daysOfMonth, groupsOf, hourAt } from "./usage-filter";

test("days that a link names go before its range; what is no day is not asked for", () => {
  expect(rangeOf({ range: "week", from: null, to: null })).toBe("week");
  expect(rangeOf({ range: "week", from: "2026-05-14", to: null })).toBe("custom");
  expect(rangeOf({ range: "week", from: "yesterday", to: "2026-99-99" })).toBe("week");
  const expected = ["2026-05-14", undefined, undefined];
  expect([dayIn("2026-05-14"), dayIn("1026-05-14"), dayIn(null)]).toEqual(expected);
});

test("what leads to calls names whose they are, of what, and when", () => {
  const within = hourAt("2026-05-14T10");
  expect(within).toEqual({ from: "2026-05-14T10:00:00.000Z", until: "2026-05-14T11:00:00.000Z" });
  const query = (address: string) => Object.fromEntries(new URL(address, "http://console.test").searchParams);
  const everybodys = callsOf({ side: "operator", by: "key", account: "acc_1" }, "key_1", within);
  expect(everybodys).toMatch(/^\/all-requests\?/);
  expect(query(everybodys)).toEqual({ account: "acc_1", key: "key_1", ...within });
  const both = callsOf({ side: "owner", by: "key_model", account: null }, "key_1 a model", within);
  expect(query(both)).toEqual({ key: "key_1", model: "a model", ...within });
  expect(callsOf({ side: "owner", by: "model", account: null }, null, within)).toMatch(/^\/requests\?from=/);
});

test("a month is its days, and an owner has no accounts to tell apart", () => {
  expect(daysOfMonth("2028-02")).toEqual({ from: "2028-02-01", to: "2028-02-29" });
  expect(groupsOf("owner")).toEqual(["model", "key", "key_model"]);
  expect(groupsOf("operator")).toEqual(["model", "key", "key_model", "account"]);
});

test("growth is told against what was before, and of nothing not at all", () => {
  expect([growth(15, 10), growth(0, 10), growth(5, 0)]).toEqual([0.5, -1, null]);
});
