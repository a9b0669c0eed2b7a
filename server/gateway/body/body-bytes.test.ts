import { expect, test } from "vitest";
import { localPool } from "@/server/domain/shares";
import { createBodyBudget } from "./body-bytes";

const newBudget = () => createBodyBudget(localPool(100, 1), { perHolder: 40 });
const holder = (accountId: string, key = "key") => ({ id: `${key} of ${accountId}`, accountId });

const expectRefused = (taking: () => Promise<void>, status: number) =>
  expect(taking()).rejects.toMatchObject({ status, headers: { "retry-after": "1" } });

test("a body beyond the bytes of a process is refused with 503 and retry-after, and takes no more memory", async () => {
  const budget = newBudget();
  for (const account of ["a", "b", "c"]) {
    await budget.open(holder(account)).take(25);
  }
  const late = budget.open(holder("d"));
  await expectRefused(async () => await late.take(26), 503);
  await late.take(12);
});

test("a body beyond the bytes of a key is refused with 429 and retry-after, and a release makes them free again", async () => {
  const budget = newBudget();
  const first = budget.open(holder("a"));
  await first.take(30);
  await first.take(10);
  expect(first.total()).toBe(40);
  await expectRefused(async () => await budget.open(holder("a")).take(1), 429);
  first.release();
  first.release();
  await budget.open(holder("a")).take(40);
  await expectRefused(async () => await budget.open(holder("a")).take(1), 429);
});

test("an account with many keys has one share of the bytes, and is refused with 429 beyond it", async () => {
  const budget = newBudget();
  await budget.open(holder("a", "one")).take(40);
  await expectRefused(async () => await budget.open(holder("a", "two")).take(21), 429);
  await budget.open(holder("b")).take(30);
});

test("the expected bytes of a body are reserved at once, used first, and released even if the body is not read", async () => {
  const budget = newBudget();
  const call = budget.open(holder("a"), 40);
  await expectRefused(async () => await budget.open(holder("a")).take(1), 429);
  await call.take(40);
  call.release();
  const unread = budget.open(holder("a"), 40);
  unread.release();
  await Promise.resolve();
  await budget.open(holder("a"), 40).take(40);
  await expectRefused(async () => await budget.open(holder("a"), 1).take(1), 429);
});
