import { expect, test } from "vitest";
import { changedMembers } from "./changed-members";

test("each changed member is shown with both sides", () => {
  expect(changedMembers({ status: "active", rpm: 5 }, { status: "disabled", rpm: null })).toEqual([
    { path: ["status"], before: "active", after: "disabled" },
    { path: ["rpm"], before: "5", after: null },
  ]);
});

test("the empty members of a new object are left out, and a flag stays a boolean", () => {
  expect(changedMembers(null, { name: "a", expiresAt: null, models: [], isEnabled: false })).toEqual([
    { path: ["name"], before: null, after: "a" },
    { path: ["isEnabled"], before: null, after: false },
  ]);
});

test("of nested objects only the changed members are shown", () => {
  const before = { prices: { input: "1", output: "2" }, models: ["a"] };
  const after = { prices: { input: "1", output: "3" }, models: ["a", "b"] };
  expect(changedMembers(before, after)).toEqual([
    { path: ["prices", "output"], before: "2", after: "3" },
    { path: ["models"], before: "a", after: "a, b" },
  ]);
});

test("a removed object is shown by its former members", () => {
  expect(changedMembers({ models: { m: "upstream" } }, null)).toEqual([
    { path: ["models", "m"], before: "upstream", after: null },
  ]);
});

test("a list of objects is shown member by member, under their names or numbers", () => {
  const condition = { aboveTokens: 200_000, input: "2" };
  const before = { models: [{ modelId: "m", weight: 1 }], conditionalPrices: [condition] };
  const after = { models: [{ modelId: "m", weight: 2 }], conditionalPrices: [{ ...condition, input: "3" }] };
  expect(changedMembers(before, after)).toEqual([
    { path: ["models", "m", "weight"], before: "1", after: "2" },
    { path: ["conditionalPrices", "1", "input"], before: "2", after: "3" },
  ]);
});

test("objects of the same name are numbered, so that a change of either is shown", () => {
  const [before, after] = [1, 3].map((first) => ({
    rules: [
      { name: "x", limit: first },
      { name: "x", limit: 2 },
    ],
  }));
  expect(changedMembers(before, after)).toEqual([{ path: ["rules", "1", "limit"], before: "1", after: "3" }]);
});

test("a list of words that became a list of objects shows both", () => {
  expect(changedMembers({ models: ["a", "b"] }, { models: [{ name: "a", weight: 1 }] })).toEqual([
    { path: ["models"], before: "a, b", after: '{"a":{"name":"a","weight":1}}' },
  ]);
});

test("a member with the name of an inherited one is absent before it is set", () => {
  expect(changedMembers({ limits: {} }, { limits: { constructor: 5 } })).toEqual([
    { path: ["limits", "constructor"], before: null, after: "5" },
  ]);
});
