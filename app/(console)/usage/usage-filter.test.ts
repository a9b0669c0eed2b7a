import { expect, test } from "vitest";
import { growth } from "../_components/charts/growth";
import { dayIn, rangeOf } from "../_components/fields/span-parameters";
import { callsOf, daysOfMonth, groupsOf, hourAt } from "./usage-filter";

test("the days of a link take precedence over its range, and a text that is no day is ignored", () => {
  expect(rangeOf({ range: "week", from: null, to: null })).toBe("week");
  expect(rangeOf({ range: "week", from: "2026-05-14", to: null })).toBe("custom");
  expect(rangeOf({ range: "week", from: "yesterday", to: "2026-99-99" })).toBe("week");
  const expected = ["2026-05-14", undefined, undefined];
  expect([dayIn("2026-05-14"), dayIn("1026-05-14"), dayIn(null)]).toEqual(expected);
});

test("a link to calls names their account, key and model, and their time", () => {
  const hour = hourAt("2026-05-14T10");
  expect(hour).toEqual({ from: "2026-05-14T10:00:00.000Z", until: "2026-05-14T11:00:00.000Z" });
  const query = (address: string) => Object.fromEntries(new URL(address, "http://console.test").searchParams);
  const operatorLink = callsOf({ side: "operator", by: "key", account: "acc_1" }, "key_1", hour);
  expect(operatorLink).toMatch(/^\/all-requests\?/);
  expect(query(operatorLink)).toEqual({ account: "acc_1", key: "key_1", ...hour });
  const ownerLink = callsOf({ side: "owner", by: "key_model", account: null }, "key_1 a model", hour);
  expect(query(ownerLink)).toEqual({ key: "key_1", model: "a model", ...hour });
  expect(callsOf({ side: "owner", by: "model", account: null }, null, hour)).toMatch(/^\/requests\?from=/);
});

test("the days of a month are its first and last one, and owners cannot group by account", () => {
  expect(daysOfMonth("2028-02")).toEqual({ from: "2028-02-01", to: "2028-02-29" });
  expect(groupsOf("owner")).toEqual(["model", "key", "key_model"]);
  expect(groupsOf("operator")).toEqual(["model", "key", "key_model", "account"]);
});

test("growth is relative to the earlier amount, and does not exist without one", () => {
  expect([growth(15, 10), growth(0, 10), growth(5, 0)]).toEqual([0.5, -1, null]);
});
