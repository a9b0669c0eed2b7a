import { expect, test } from "vitest";
import { changedMembers } from "./changed-members";
import { mostTelling } from "./most-telling";

const firstOf = (before: unknown, after: unknown, targetName?: string) =>
  mostTelling(changedMembers(before, after), targetName)[0]?.path;

test("a replaced value stands before a new one", () => {
  const before = { quota: "500", reason: null };
  expect(firstOf(before, { reason: "new contract", quota: "600" })).toEqual(["quota"]);
});

test("of a new object the first line says more than its name and state", () => {
  const account = { name: "Kite", user: "a@example.com", quota: "150" };
  expect(firstOf(null, account, "Kite")).toEqual(["quota"]);
  expect(firstOf(null, { name: "Kite", isReadOnly: true }, "Kite")).toEqual(["isReadOnly"]);
});

test("an object that has only a name shows it", () => {
  expect(firstOf(null, { name: "Kite" }, "Kite")).toEqual(["name"]);
});
