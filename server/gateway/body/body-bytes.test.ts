import { expect, test } from "vitest";
import { localPool } from "@/server/domain/shares";
import { createBodyBudget } from "./body-bytes";

const newBudget = () => createBodyBudget(localPool(100, 1), { perHolder: 40 });
const holder = (accountId: string, key = "key") => ({ id: `${key} of ${accountId}`, accountId });

const expectRefused = (taking: () => Promise<void>, status: number) =>
  expect(taking()).rejects.toMatchObject({ status, headers: { "retry-after": "1" } });

test("beyond the bytes of a process there is a 503 with retry-after, and not more memory", async () => {
  const budget = newBudget();
  for (const account of ["a", "b", "c"]) {
    await budget.open(holder(account)).take(25);
  }
  const late = budget.open(holder("d"));
  await expectRefused(async () => await late.take(26), 503);
  await late.take(12);
});

test("beyond those of a key there is a 429 with retry-after, and they are as many again once given back", async () => {
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

test("an account with many keys has its share, beyond which it is the one that is told to wait", async () => {
  const budget = newBudget();
  await budget.open(holder("a", "one")).take(40);
  await expectRefused(async () => await budget.open(holder("a", "two")).take(21), 429);
  await budget.open(holder("b")).take(30);
});

test("what is expected is asked for at once, is the first that is taken, and is given back even unread", async () => {
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
