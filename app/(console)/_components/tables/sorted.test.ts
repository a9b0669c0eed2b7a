import { expect, test } from "vitest";
import { orderBy, sorted } from "./sorted";

const rows = [
  { name: "model-10", spent: "9" },
  { name: "model-2", spent: "100" },
  { name: "others", spent: null },
];
const bySpent = (row: (typeof rows)[number]) => (row.spent === null ? null : Number(row.spent));

test("figures are sorted by value, and names by the numbers in them", () => {
  expect(sorted(rows, bySpent, true).map(({ name }) => name)).toEqual(["model-2", "model-10", "others"]);
  const expected = ["model-2", "model-10", "others"];
  expect(sorted(rows, ({ name }) => name, false).map(({ name }) => name)).toEqual(expected);
});

test("a row without a value is last in both directions", () => {
  expect(sorted(rows, bySpent, false).at(-1)?.name).toBe("others");
  expect(sorted(rows, bySpent, true).at(-1)?.name).toBe("others");
});

test("the first choice sorts figures downward and names upward, and the second choice reverses the order", () => {
  const greatest = orderBy("spent", null, true);
  expect(greatest).toEqual({ by: "spent", isDescending: true });
  expect(orderBy("spent", greatest, true).isDescending).toBe(false);
  expect(orderBy("name", greatest, false)).toEqual({ by: "name", isDescending: false });
});
