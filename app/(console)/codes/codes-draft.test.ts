import { expect, test } from "vitest";
import { emptyDraft, problemsOf, termsOf } from "./codes-draft";

const now = new Date("2026-11-24T12:00:00").getTime();
const validDraft = { name: " spring ", amount: " 50.5 ", count: "1000", expiry: "2026-11-24" };

test("a batch has a name, an amount above zero, up to 1,000 codes and a last day that is not over", () => {
  expect(problemsOf(validDraft, now)).toEqual({});
  expect(problemsOf({ ...emptyDraft, name: "spring", amount: "1" }, now)).toEqual({});
  const wrong = { name: " ", amount: "0", count: "1001", expiry: "2026-11-23" };
  const problems = { name: "nameMissing", amount: "amountWrong", count: "countWrong", expiry: "expiryPast" };
  expect(problemsOf(wrong, now)).toEqual(problems);
  for (const count of ["", "0", "-1", "1.5", "ten"]) {
    expect(problemsOf({ ...validDraft, count }, now)).toEqual({ count: "countWrong" });
  }
});

test("codes are valid until the end of the last day, in the reader's zone", () => {
  expect(termsOf(validDraft)).toEqual({
    ...{ name: "spring", amount: "50.5", count: 1_000 },
    expiresAt: new Date("2026-11-24T23:59:59.999").toISOString(),
  });
  expect(termsOf({ ...validDraft, expiry: "" }).expiresAt).toBeNull();
});
