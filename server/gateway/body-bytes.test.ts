import { expect, test } from "vitest";
import { GatewayError } from "@/server/base/errors";
import { createBodyBudget } from "./body-bytes";

const limits = { perProcess: 100, perHolder: 40 };
const holder = (accountId: string, key = "key") => ({ id: `${key} of ${accountId}`, accountId });

/** The status and the wait that taking so much ends in; null: it was taken. */
function refusalOf(run: () => void) {
  try {
    run();
    return null;
  } catch (error) {
    if (error instanceof GatewayError) {
      return { status: error.status, retryAfter: error.headers["retry-after"] };
    }
    throw error;
  }
}

test("beyond the bytes of a process there is a 503 with retry-after, and not more memory", () => {
  const budget = createBodyBudget(limits);
  for (const account of ["a", "b", "c"]) {
    budget.open(holder(account)).take(25);
  }
  const late = budget.open(holder("d"));
  expect(refusalOf(() => late.take(26))).toEqual({ status: 503, retryAfter: "1" });
  expect(refusalOf(() => late.take(12))).toBeNull();
});

test("beyond those of a key there is a 429 with retry-after, and they are as many again once given back", () => {
  const budget = createBodyBudget(limits);
  const first = budget.open(holder("a"));
  first.take(40);
  expect(refusalOf(() => budget.open(holder("a")).take(1))).toEqual({ status: 429, retryAfter: "1" });
  first.release();
  first.release();
  expect(refusalOf(() => budget.open(holder("a")).take(40))).toBeNull();
  expect(refusalOf(() => budget.open(holder("a")).take(1))).toMatchObject({ status: 429 });
});

test("an account with many keys has its share, beyond which it is the one that is told to wait", () => {
  const budget = createBodyBudget(limits);
  budget.open(holder("a", "one")).take(40);
  expect(refusalOf(() => budget.open(holder("a", "two")).take(21))).toEqual({ status: 429, retryAfter: "1" });
  expect(refusalOf(() => budget.open(holder("b")).take(30))).toBeNull();
});
