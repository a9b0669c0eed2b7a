import { expect, test } from "vitest";
import { emptyDraft, problemsOf, termsOf } from "./management-key-draft";

const now = Date.UTC(2026, 10, 21, 12);

test("a management key may do everything and does not expire unless its form says otherwise", () => {
  expect(termsOf({ ...emptyDraft, name: " billing " }, now)).toEqual({
    name: "billing",
    isReadOnly: false,
    expiresAt: null,
  });
  expect(termsOf({ ...emptyDraft, name: "a", isReadOnly: true, expiry: "days30" }, now)).toEqual({
    name: "a",
    isReadOnly: true,
    expiresAt: "2026-12-21T12:00:00.000Z",
  });
});

test("a key without a name, or with an expiry in the past, is not sent, and the form says why", () => {
  expect(problemsOf(emptyDraft)).toEqual({ name: "nameMissing" });
  const past = { ...emptyDraft, name: "a", expiry: "custom", customExpiry: "2020-01-01T00:00" } as const;
  expect(problemsOf(past)).toEqual({ customExpiry: "expiryPast" });
  expect(problemsOf({ ...past, customExpiry: "" })).toEqual({ customExpiry: "expiryMissing" });
});
