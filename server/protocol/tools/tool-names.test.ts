import fc from "fast-check";
import { expect, test } from "vitest";
import { mapToolNames } from "./tool-names";

test("a name becomes legal for the upstream, and the client gets its own name back", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string({ minLength: 1, maxLength: 200 })), (clientNames) => {
      const names = mapToolNames(clientNames, 64);
      for (const name of clientNames) {
        expect(names.toUpstream(name)).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
        expect(names.toClient(names.toUpstream(name))).toBe(name);
      }
    }),
  );
});

test("long names with the same beginning stay distinct", () => {
  const clientNames = ["a", "b"].map((end) => `mcp__${"x".repeat(80)}${end}`);
  const names = mapToolNames(clientNames, 64);
  expect(new Set(clientNames.map(names.toUpstream)).size).toBe(2);
});

test("names that differ in a lone surrogate stay distinct", () => {
  const clientNames = ["f\ud800", "f\ud801"];
  const names = mapToolNames(clientNames, 64);
  expect(clientNames.map((name) => names.toClient(names.toUpstream(name)))).toEqual(clientNames);
});

test("a short name is not changed", () => {
  expect(mapToolNames(["Bash"], 64).toUpstream("Bash")).toBe("Bash");
});

test("a name that the client did not offer reaches it in legal characters", () => {
  const names = mapToolNames(["Bash"], 64);
  expect(names.toClient("functions.Read")).toMatch(/^functions_Read_[0-9a-f]{8}$/);
  expect(names.toClient("Read")).toBe("Read");
});

test.each([
  [["a"], null, "a"],
  [["a", "b"], "b", "b"],
  [["a", "b"], null, null],
  [[], null, null],
])("with %j and %j as the forced tool, a call without a name belongs to %j", (clientNames, forced, sole) => {
  expect(mapToolNames(clientNames, 64, forced).soleName).toBe(sole);
});
