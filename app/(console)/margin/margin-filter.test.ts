import { expect, test } from "vitest";
import { marginShare, placeOf } from "./margin-filter";

test("a margin's share is a part of the charge, is negative for a loss, and does not exist without a charge", () => {
  expect(marginShare({ amount: "2", margin: "0.5" })).toBe(0.25);
  expect(marginShare({ amount: "2", margin: "-1" })).toBe(-0.5);
  expect(marginShare({ amount: "0", margin: "0" })).toBeNull();
});

test("a group links to the page where its subject is managed", () => {
  expect(placeOf("model", "vendor/m")).toMatchObject({ href: "/prices/model?id=vendor%2Fm" });
  expect(placeOf("channel", "chn_1")).toMatchObject({ href: "/channels/chn_1" });
  expect(placeOf("account", "acc_1")).toMatchObject({ href: "/accounts/acc_1" });
});
