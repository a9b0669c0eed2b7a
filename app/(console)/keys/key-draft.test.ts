import { expect, test } from "vitest";
import { formatMoney, nanos } from "@/server/base/money";
import { draftOf, emptyDraft, type KeyDraft, problemsOf, termsOf } from "./key-draft";

const now = Date.UTC(2026, 10, 21, 12);
const draft = (change: Partial<KeyDraft>): KeyDraft => ({ ...emptyDraft, name: "a", ...change });

test("an empty field is no limit", () => {
  expect(termsOf(draft({}), now)).toEqual({
    ...{ name: "a", requestsPerMinute: null, maxConcurrent: null, dailyCap: null, weeklyCap: null },
    ...{ monthlyCap: null, models: [], expiresAt: null, tellsCost: false, cachesPrompts: true },
  });
});

test("a preset counts from now, and a chosen moment is read in the reader's zone", () => {
  expect(termsOf(draft({ expiry: "days30" }), now).expiresAt).toBe("2026-12-21T12:00:00.000Z");
  const custom = termsOf(draft({ expiry: "custom", customExpiry: "2027-01-01T08:30" }), now);
  expect(custom.expiresAt).toBe(new Date(2027, 0, 1, 8, 30).toISOString());
});

test("an unchanged expiry is not sent, so that its seconds stay", () => {
  const key = {
    ...{ name: "a", expiresAt: "2020-01-01T00:00:01.234Z", requestsPerMinute: 5, maxConcurrent: 3 },
    ...{ dailyCap: null, weeklyCap: formatMoney(nanos(3n)), monthlyCap: formatMoney(nanos(1n)) },
    ...{ models: ["m"], tellsCost: true, cachesPrompts: false },
  };
  expect(problemsOf(draftOf(key), now)).toEqual({});
  const { expiresAt: _, ...others } = key;
  expect(termsOf(draftOf(key), now)).toEqual(others);
});

test.each<[Partial<KeyDraft>, object]>([
  [{ name: " " }, { name: "nameMissing" }],
  [{ name: "x".repeat(101) }, { name: "nameLong" }],
  [{ perMinute: "0" }, { perMinute: "perMinute" }],
  [{ perMinute: "1.5" }, { perMinute: "perMinute" }],
  [{ perMinute: "1000001" }, { perMinute: "perMinute" }],
  [{ cap: "0" }, { cap: "cap" }],
  [{ cap: "1.0000000001" }, { cap: "cap" }],
  [{ cap: "1e3" }, { cap: "cap" }],
  [{ dailyCap: "0" }, { dailyCap: "cap" }],
  [{ weeklyCap: "-1" }, { weeklyCap: "cap" }],
  [{ expiry: "custom" }, { customExpiry: "expiryMissing" }],
  [{ expiry: "custom", customExpiry: "2020-01-01T00:00" }, { customExpiry: "expiryPast" }],
  [{ expiry: "custom", customExpiry: "2030-01-01T00:00", cap: " 1.5 ", perMinute: " 10 " }, {}],
])("%o is refused before it is sent, with these problems", (change, problems) => {
  expect(problemsOf(draft(change), now)).toEqual(problems);
});
