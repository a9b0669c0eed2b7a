import fc from "fast-check";
import { expect, test } from "vitest";
import { difference } from "./difference";

test("only what changed is kept, on both sides", () => {
  const before = { name: "a", rpm: 5, models: { m: "m" }, expiresAt: null };
  const after = { name: "a", rpm: 6, models: { m: "m" }, expiresAt: new Date(0) };
  expect(difference(before, after)).toEqual({
    before: { rpm: 5, expiresAt: null },
    after: { rpm: 6, expiresAt: "1970-01-01T00:00:00.000Z" },
  });
});

test("of something new or removed all is kept", () => {
  expect(difference(null, { name: "a" })).toEqual({ before: null, after: { name: "a" } });
  expect(difference({ name: "a" }, null)).toEqual({ before: { name: "a" }, after: null });
});

test("a member that one side lacks is a change", () => {
  expect(difference({ a: 1, b: undefined }, { b: 2 })).toEqual({ before: { a: 1 }, after: { b: 2 } });
});

test("a secret that slipped into a view stays out, however deep it lies; a count of them stays", () => {
  const view = {
    ...{ secret: "x", passwordHash: "x", totpSecret: "x", recoveryCodes: ["x"] },
    ...{ nested: [{ password: "x" }], credentials: 2 },
  };
  expect(difference(null, view).after).toEqual({ nested: [{}], credentials: 2 });
});

test("money must have been written as a decimal string", () => {
  expect(() => difference(null, { quota: 1n })).toThrow(TypeError);
});

test("what is kept of equal views is nothing, and of any two is enough to go from one to the other", () => {
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
