import fc from "fast-check";
import { expect, test } from "vitest";
import { nanos } from "@/server/base/money";
import { levelOf } from "./months";

const balance = (parts: { quota?: bigint; topups?: bigint; used?: bigint; frozen?: bigint }) => {
  const { quota, topups, used, frozen } = { quota: 0n, topups: 0n, used: 0n, frozen: 0n, ...parts };
  return {
    ...{ period: "2026-11", quota: nanos(quota), topups: nanos(topups), used: nanos(used) },
    ...{ frozen: nanos(frozen), available: nanos(quota + topups - used - frozen) },
  };
};

test("a month is low from 80 % on, counted with its top-ups and with frozen money", () => {
  expect(levelOf(balance({ quota: 100n, used: 79n }))).toBe("enough");
  expect(levelOf(balance({ quota: 100n, used: 40n, frozen: 40n }))).toBe("low");
  expect(levelOf(balance({ quota: 100n, topups: 100n, used: 80n, frozen: 79n }))).toBe("enough");
});

test("a month without any money left is exhausted, even if it never had any", () => {
  expect(levelOf(balance({ quota: 100n, used: 60n, frozen: 40n }))).toBe("exhausted");
  expect(levelOf(balance({ quota: 100n, used: 101n }))).toBe("exhausted");
  expect(levelOf(balance({}))).toBe("exhausted");
});

test("more spending never raises the level", () => {
  const order = ["enough", "low", "exhausted"];
  const amount = fc.bigInt({ min: 0n, max: 10n ** 18n });
  fc.assert(
    fc.property(amount, amount, amount, (quota, used, more) => {
      const [before, after] = [
        levelOf(balance({ quota, used })),
        levelOf(balance({ quota, used: used + more })),
      ];
      expect(order.indexOf(after)).toBeGreaterThanOrEqual(order.indexOf(before));
    }),
  );
});
