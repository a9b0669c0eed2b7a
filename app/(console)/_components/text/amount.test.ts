import { expect, test } from "vitest";
import { amountText, type Precision } from "./amount";

const shown = (decimal: string, precision?: Precision) =>
  amountText(decimal, { currency: "CNY", locale: "zh", ...(precision && { precision }) });

test("no digit of an amount is lost or rounded", () => {
  expect(shown("0.000000001")).toBe("¥0.000000001");
  expect(shown("999999999.123456789")).toBe("¥999,999,999.123456789");
  expect(shown("-1.5")).toBe("-¥1.50");
});

test("whole amounts show two decimals", () => {
  expect(amountText("100", { currency: "USD", locale: "en" })).toBe("$100.00");
  expect(amountText("100", { currency: "USD", locale: "en", precision: "short" })).toBe("$100.00");
});

test.each([
  ["1234.5678", "¥1,234.57"],
  ["-1.005000001", "-¥1.01"],
  ["0.5", "¥0.50"],
  ["0.12345", "¥0.123"],
  ["0.00123456", "¥0.00123"],
  ["0.000000001", "¥0.000000001"],
  ["0", "¥0.00"],
  ["0.9999", "¥1.00"],
])("in short, %s has two decimals from 1 upward and three digits below", (decimal, text) => {
  expect(shown(decimal, "short")).toBe(text);
});
