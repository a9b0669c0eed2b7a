import { expect, test } from "vitest";
import { hasProblems, problemsBy } from "./problems";

test("a draft has problems if a field, a row or a part of it has one", () => {
  expect(hasProblems({})).toBe(false);
  expect(hasProblems({ name: undefined, rows: new Map(), prices: {} })).toBe(false);
  expect(hasProblems({ name: "nameMissing" })).toBe(true);
  expect(hasProblems({ rows: new Map([[1, "secret"]]) })).toBe(true);
  expect(hasProblems({ rows: new Map(), prices: { inputPrice: "missing" } })).toBe(true);
});

test("the problems of a draft are those that its checks find", () => {
  const needed = (text: string) => (text === "" ? "is needed" : null);
  const checks = { name: needed, amount: needed };
  expect(problemsBy(checks, { name: "", amount: "1", note: "" })).toEqual({ name: "is needed" });
  expect(problemsBy(checks, { name: "a", amount: "1", note: "" })).toEqual({});
});
