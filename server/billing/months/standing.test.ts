import { expect, test } from "vitest";
import { nanos } from "@/server/base/money";
import { type Allowance, seenBy } from "./standing";

const until = new Date("2026-12-01");
const allowance = (window: Allowance["window"], used: number, limit: number): Allowance => ({
  ...{ window, until, used: nanos(BigInt(used)), limit: nanos(BigInt(limit)) },
});
const spent = { day: nanos(0n), week: nanos(0n), month: nanos(0n) };

test.each<[string, Allowance[], Allowance[], string]>([
  ["the account's month if the key has no cap", [], [allowance("month", 30, 100)], "month 30/100 left 70"],
  [
    "the key's cap, and not the rest of the account's month",
    [allowance("month", 5, 20)],
    [allowance("month", 30, 100)],
    "month 5/20 left 15",
  ],
  [
    "the cap with the least money left",
    [allowance("day", 1, 3), allowance("month", 19, 20)],
    [allowance("month", 30, 100)],
    "month 19/20 left 1",
  ],
  [
    "the shorter of two caps with the same money left",
    [allowance("day", 1, 3), allowance("week", 4, 6)],
    [allowance("month", 0, 9)],
    "day 1/3 left 2",
  ],
  [
    "a lower limit if the account has less left than the cap",
    [allowance("month", 5, 20)],
    [allowance("month", 97, 100)],
    "month 5/8 left 3",
  ],
  [
    "a lower limit if the account may spend less today",
    [],
    [allowance("day", 8, 10), allowance("month", 30, 100)],
    "month 30/32 left 2",
  ],
  [
    "nothing left if more is used than allowed",
    [allowance("day", 4, 3)],
    [allowance("month", 30, 100)],
    "day 4/4 left 0",
  ],
])("a key's holder sees %s", (_, ...[caps, ofAccount, expected]) => {
  const { window, used, limit, left, isCapped } = seenBy({ spent, caps, ofAccount });
  expect(`${window} ${used}/${limit} left ${left}`).toBe(expected);
  expect(isCapped).toBe(caps.length > 0);
});
