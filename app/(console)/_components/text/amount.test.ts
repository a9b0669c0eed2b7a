import { expect, test } from "vitest";
import { amountText, columnDecimals, exactDecimals, type Precision, padOf } from "./amount";

const textIn = (decimal: string, precision?: Precision) =>
  amountText(decimal, { currency: "CNY", locale: "zh", ...(precision && { precision }) });

test("no digit of an amount is lost or rounded, and a negative one has a true minus", () => {
  expect(textIn("0.000000001")).toBe("¥0.000000001");
  expect(textIn("999999999.123456789")).toBe("¥999,999,999.123456789");
  expect(textIn("-1.5")).toBe("−¥1.50");
});

test("whole amounts show two decimals", () => {
  expect(amountText("100", { currency: "USD", locale: "en" })).toBe("$100.00");
  expect(amountText("100", { currency: "USD", locale: "en", precision: "short" })).toBe("$100.00");
});

test.each([
  ["1234.5678", "¥1,234.57"],
  ["-1.005000001", "−¥1.01"],
  ["0.5", "¥0.50"],
  ["0.12345", "¥0.123"],
  ["0.00123456", "¥0.00123"],
  ["0.000000001", "¥0.000000001"],
  ["0", "¥0.00"],
  ["0.9999", "¥1.00"],
])("in the short form, %s has two decimals from 1 upward and three digits below", (decimal, text) => {
  expect(textIn(decimal, "short")).toBe(text);
});

test.each([
  [["20.11", "0.35", "0"], 2],
  [["0.51", "0.0023"], 3],
  [["0.00230", "0.00004"], 5],
  [["0", "0"], 2],
  [["-1234.5"], 2],
  [[], 2],
])("the amounts %j of a column have %d decimals", (amounts, decimals) => {
  expect(columnDecimals(amounts)).toBe(decimals);
});

test.each([
  ["20.105", 2, "¥20.11"],
  ["0.0023", 2, "< ¥0.01"],
  ["-0.0023", 2, "> −¥0.01"],
  ["0", 2, "¥0.00"],
  ["0.0023", 3, "¥0.002"],
  ["0.000024692", 9, "¥0.000024692"],
])("%s with %d decimals is %s", (decimal, decimals, text) => {
  expect(amountText(decimal, { currency: "CNY", locale: "zh", decimals })).toBe(text);
});

test("exact amounts of a column are padded to the longest of them", () => {
  const amounts = ["500", "-130.4058756", "0.7"];
  const places = exactDecimals(amounts);
  expect(places).toBe(7);
  expect(amounts.map((amount) => padOf(amount, places))).toEqual(["00000", "", "00000"]);
  expect(exactDecimals([])).toBe(2);
});
