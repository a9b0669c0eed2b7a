import { expect, test } from "vitest";
import { marginShare, placeOf } from "./margin-filter";

test("a margin's share is of what was charged, below zero of a loss, and of nothing there is none", () => {
  expect(marginShare({ amount: "2", margin: "0.5" })).toBe(0.25);
  expect(marginShare({ amount: "2", margin: "-1" })).toBe(-0.5);
  expect(marginShare({ amount: "0", margin: "0" })).toBeNull();
});

test("a group leads to where it is looked after", () => {
  expect(placeOf("model", "vendor/m")).toMatchObject({ href: "/prices/model?id=vendor%2Fm" });
  expect(placeOf("channel", "chn_1")).toMatchObject({ href: "/channels/chn_1" });
  expect(placeOf("account", "acc_1")).toMatchObject({ href: "/accounts/acc_1" });
});
