import { expect, test } from "vitest";
import { GatewayError } from "@/server/base/errors";
import { localPool } from "@/server/base/shares";
import { createBodyBudget } from "./body-bytes";

const newBudget = () => createBodyBudget(localPool(100), { perHolder: 40 });
const holder = (accountId: string, key = "key") => ({ id: `${key} of ${accountId}`, accountId });

/** The status and the wait that taking so much ends in; null: it was taken. */
async function refusalOf(run: () => Promise<void>) {
  try {
    await run();
    return null;
  } catch (error) {
    if (error instanceof GatewayError) {
      return { status: error.status, retryAfter: error.headers["retry-after"] };
    }
    throw error;
  }
}

test("beyond the bytes of a process there is a 503 with retry-after, and not more memory", async () => {
  const budget = newBudget();
  for (const account of ["a", "b", "c"]) {
    await budget.open(holder(account)).take(25);
  }
  const late = budget.open(holder("d"));
  expect(await refusalOf(() => late.take(26))).toEqual({ status: 503, retryAfter: "1" });
  expect(await refusalOf(() => late.take(12))).toBeNull();
});

test("beyond those of a key there is a 429 with retry-after, and they are as many again once given back", async () => {
  const budget = newBudget();
  const first = budget.open(holder("a"));
  await first.take(40);
  expect(await refusalOf(() => budget.open(holder("a")).take(1))).toEqual({ status: 429, retryAfter: "1" });
  first.release();
  first.release();
  expect(await refusalOf(() => budget.open(holder("a")).take(40))).toBeNull();
  expect(await refusalOf(() => budget.open(holder("a")).take(1))).toMatchObject({ status: 429 });
});

test("an account with many keys has its share, beyond which it is the one that is told to wait", async () => {
  const budget = newBudget();
  await budget.open(holder("a", "one")).take(40);
  expect(await refusalOf(() => budget.open(holder("a", "two")).take(21))).toEqual({
    status: 429,
    retryAfter: "1",
  });
  expect(await refusalOf(() => budget.open(holder("b")).take(30))).toBeNull();
});

test("what is expected is asked for at once, is the first that is taken, and is given back even unread", async () => {
  const budget = newBudget();
  const call = budget.open(holder("a"), 40);
  expect(await refusalOf(() => budget.open(holder("a")).take(1))).toMatchObject({ status: 429 });
  await call.take(40);
  call.release();
  const unread = budget.open(holder("a"), 40);
  unread.release();
  await Promise.resolve();
  expect(await refusalOf(() => budget.open(holder("a"), 40).take(40))).toBeNull();
  expect(await refusalOf(() => budget.open(holder("a"), 1).take(1))).toEqual({
    status: 429,
    retryAfter: "1",
  });
});
