import { expect, test } from "vitest";
import { changedMembers } from "./changed-members";

test("each member that differs is told with both sides", () => {
  expect(changedMembers({ status: "active", rpm: 5 }, { status: "disabled", rpm: null })).toEqual([
    { path: ["status"], before: "active", after: "disabled" },
    { path: ["rpm"], before: "5", after: null },
  ]);
});

test("of something new the empty members are left out, and a flag stays one, to be put into words", () => {
  expect(changedMembers(null, { name: "a", expiresAt: null, models: [], isEnabled: false })).toEqual([
    { path: ["name"], before: null, after: "a" },
    { path: ["isEnabled"], before: null, after: false },
  ]);
});

test("of nested things only what differs is told", () => {
  const before = { prices: { input: "1", output: "2" }, models: ["a"] };
  const after = { prices: { input: "1", output: "3" }, models: ["a", "b"] };
  expect(changedMembers(before, after)).toEqual([
    { path: ["prices", "output"], before: "2", after: "3" },
    { path: ["models"], before: "a", after: "a, b" },
  ]);
});

test("what was removed is told by what it was", () => {
  expect(changedMembers({ models: { m: "upstream" } }, null)).toEqual([
    { path: ["models", "m"], before: "upstream", after: null },
  ]);
});
