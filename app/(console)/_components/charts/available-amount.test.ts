import { expect, test } from "vitest";
import { displayedAvailable } from "./available-amount";

const month = (quota: string, [topups, used, frozen]: [string, string, string], available: string) => ({
  ...{ quota, topups, used, frozen, available },
});

test.each(
  [
    // 33.34 + 10.34 of 100.00 leave 56.32, and not 56.33.
    [month("100", ["0", "33.335", "10.335"], "56.33"), "56.32"],
    [month("100", ["0", "0.00012", "0"], "99.99988"), "99.99"],
    [month("100", ["50", "20.11", "0"], "129.89"), "129.89"],
    // Less than a cent is left, or nothing.
    [month("100", ["0", "99.996", "0"], "0.004"), "0.004"],
    [month("100", ["0", "33.335", "66.665"], "0"), "0"],
    [month("100", ["0", "120.5", "0"], "-20.5"), "-20.5"],
  ].map(([given, shown]) => ({ given, shown })),
)("the available amount is what the shown figures leave: $shown", ({ given, shown }) => {
  expect(displayedAvailable(given as ReturnType<typeof month>)).toBe(shown);
});

test("refunds count as given", () => {
  const given = { ...month("10", ["5", "1", "0"], "14.25"), refunds: "0.25" };
  expect(displayedAvailable(given)).toBe("14.25");
});
