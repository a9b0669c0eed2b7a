import { expect, test } from "vitest";
import { nanos } from "@/server/base/money";
import { type Allowance, seenBy } from "./standing";

const until = new Date("2026-12-01");
const allowance = (window: Allowance["window"], used: number, limit: number): Allowance => ({
  ...{ window, until, used: nanos(BigInt(used)), limit: nanos(BigInt(limit)) },
});
const spent = { day: nanos(0n), week: nanos(0n), month: nanos(0n) };

test.each<[string, Allowance[], Allowance[], string]>([
  ["its account's month, without caps", [], [allowance("month", 30, 100)], "month 30/100 left 70"],
  [
    "its cap, and not what its account has beyond",
    [allowance("month", 5, 20)],
    [allowance("month", 30, 100)],
    "month 5/20 left 15",
  ],
  [
    "the cap of which least is left",
    [allowance("day", 1, 3), allowance("month", 19, 20)],
    [allowance("month", 30, 100)],
    "month 19/20 left 1",
  ],
  [
    "the shorter one of caps that leave the same",
    [allowance("day", 1, 3), allowance("week", 4, 6)],
    [allowance("month", 0, 9)],
    "day 1/3 left 2",
  ],
  [
    "a lower limit, where its account has less than its cap",
    [allowance("month", 5, 20)],
    [allowance("month", 97, 100)],
    "month 5/8 left 3",
  ],
  [
    "a lower limit, where its account may spend less today",
    [],
    [allowance("day", 8, 10), allowance("month", 30, 100)],
    "month 30/32 left 2",
  ],
  [
    "nothing left, where more is used than allowed",
    [allowance("day", 4, 3)],
    [allowance("month", 30, 100)],
    "day 4/4 left 0",
  ],
])("a key's holder sees %s", (_, ...[caps, ofAccount, expected]) => {
  const { window, used, limit, left, isCapped } = seenBy({ spent, caps, ofAccount });
  expect(`${window} ${used}/${limit} left ${left}`).toBe(expected);
  expect(isCapped).toBe(caps.length > 0);
});
