import { expect, test } from "vitest";
import { amountText } from "./amount";

test("no digit of an amount is lost or rounded", () => {
  expect(amountText("0.000000001", "CNY")).toBe("¥0.000000001");
  expect(amountText("999999999.123456789", "CNY")).toBe("¥999,999,999.123456789");
  expect(amountText("-1.5", "CNY")).toBe("-¥1.50");
});

test("whole amounts show two decimals", () => {
  expect(amountText("100", "USD", "en")).toBe("$100.00");
});
