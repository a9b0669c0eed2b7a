import { expect, test } from "vitest";
import { hasProblems } from "./problems";

test("a draft is right while no field, no row and no part of it has a problem", () => {
  expect(hasProblems({})).toBe(false);
  expect(hasProblems({ name: undefined, rows: new Map(), prices: {} })).toBe(false);
  expect(hasProblems({ name: "nameMissing" })).toBe(true);
  expect(hasProblems({ rows: new Map([[1, "secret"]]) })).toBe(true);
  expect(hasProblems({ rows: new Map(), prices: { inputPrice: "missing" } })).toBe(true);
});
