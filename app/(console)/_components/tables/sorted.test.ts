import { expect, test } from "vitest";
import { orderBy, sorted } from "./sorted";

const rows = [
  { name: "model-10", spent: "9" },
  { name: "model-2", spent: "100" },
  { name: "others", spent: null },
];
const bySpent = (row: (typeof rows)[number]) => (row.spent === null ? null : Number(row.spent));

test("figures are compared as figures, and numbers in names as numbers", () => {
  expect(sorted(rows, bySpent, true).map(({ name }) => name)).toEqual(["model-2", "model-10", "others"]);
  const expected = ["model-2", "model-10", "others"];
  expect(sorted(rows, ({ name }) => name, false).map(({ name }) => name)).toEqual(expected);
});

test("what has no value is last in both directions", () => {
  expect(sorted(rows, bySpent, false).at(-1)?.name).toBe("others");
  expect(sorted(rows, bySpent, true).at(-1)?.name).toBe("others");
});

test("figures begin with the greatest, names with the first, and the second choice turns either round", () => {
  const greatest = orderBy("spent", null, true);
  expect(greatest).toEqual({ by: "spent", isDescending: true });
  expect(orderBy("spent", greatest, true).isDescending).toBe(false);
  expect(orderBy("name", greatest, false)).toEqual({ by: "name", isDescending: false });
});
