import fc from "fast-check";
import { expect, test } from "vitest";
import { difference } from "./difference";

test("the difference has only the changed members, of both sides", () => {
  const before = { name: "a", rpm: 5, models: { m: "m" }, expiresAt: null };
  const after = { name: "a", rpm: 6, models: { m: "m" }, expiresAt: new Date(0) };
  expect(difference(before, after)).toEqual({
    before: { rpm: 5, expiresAt: null },
    after: { rpm: 6, expiresAt: "1970-01-01T00:00:00.000Z" },
  });
});

test("the difference of a new or removed object has all of its members", () => {
  expect(difference(null, { name: "a" })).toEqual({ before: null, after: { name: "a" } });
  expect(difference({ name: "a" }, null)).toEqual({ before: { name: "a" }, after: null });
});

test("a member that only one side has is a change", () => {
  expect(difference({ a: 1, b: undefined }, { b: 2 })).toEqual({ before: { a: 1 }, after: { b: 2 } });
});

test("secrets are left out at any depth, and a count of them stays", () => {
  const view = {
    ...{ secret: "x", passwordHash: "x", totpSecret: "x", recoveryCodes: ["x"] },
    ...{ nested: [{ password: "x" }], credentials: 2 },
  };
  expect(difference(null, view).after).toEqual({ nested: [{}], credentials: 2 });
});

test("money that is not a decimal string is an error", () => {
  expect(() => difference(null, { quota: 1n })).toThrow(TypeError);
});

test("equal views have no difference, and the difference of any two views leads from one to the other", () => {
  const view = fc.dictionary(fc.constantFrom("a", "b", "c", "__proto__"), fc.jsonValue());
  fc.assert(
    fc.property(view, view, (first, second) => {
      const before = JSON.parse(JSON.stringify(first)) as Record<string, unknown>;
      const after = JSON.parse(JSON.stringify(second)) as Record<string, unknown>;
      expect(difference(before, before)).toEqual({ before: {}, after: {} });
      const changed = difference(before, after);
      const kept = Object.entries(before).filter(([name]) => !Object.hasOwn(changed.before ?? {}, name));
      expect(Object.fromEntries([...kept, ...Object.entries(changed.after ?? {})])).toEqual(after);
    }),
  );
});
