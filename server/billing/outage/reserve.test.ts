import { expect, test } from "vitest";
import { nanos } from "@/server/base/money";
import type { AccountId } from "@/server/domain/ids";
import { limitReserve, subtractCharges } from "./reserve";

const [one, two, three] = ["acc_1", "acc_2", "acc_3"] as [AccountId, AccountId, AccountId];
const amountsOf = (parts: { accountId: AccountId; amount: bigint }[]) =>
  parts.map(({ accountId, amount }) => [accountId, amount]);

test("a reserve is no more than a tenth of the allowance of today, the account's or the installation's", () => {
  const amounts = [one, two, three].map((accountId) => ({ accountId, amount: nanos(10n) }));
  const accounts = [
    { accountId: one, allowance: null },
    { accountId: two, allowance: nanos(40n) },
    { accountId: three, allowance: nanos(0n) },
  ];
  expect(amountsOf(limitReserve(amounts, accounts, nanos(100n)))).toEqual([
    [one, 10n],
    [two, 4n],
  ]);
  // Lowered in the environment of the new start.
  expect(amountsOf(limitReserve(amounts, accounts, nanos(50n)))).toEqual([
    [one, 5n],
    [two, 4n],
  ]);
  expect(amountsOf(limitReserve(amounts, accounts, nanos(0n)))).toEqual([[two, 4n]]);
});

test("an allowance that is raised raises no reserve, and an account that is not active has none", () => {
  const amounts = [{ accountId: one, amount: nanos(10n) }];
  expect(amountsOf(limitReserve(amounts, [{ accountId: one, allowance: nanos(1_000n) }], nanos(0n)))).toEqual(
    [[one, 10n]],
  );
  expect(limitReserve(amounts, [], nanos(1_000n))).toEqual([]);
});

test("what former runs have charged is not sold again", () => {
  const charge = (accountId: AccountId, amount: bigint) =>
    ({ accountId, charge: { amount: nanos(amount) } }) as Parameters<typeof subtractCharges>[1][number];
  const parts = [one, two, three].map((accountId) => ({ accountId, amount: nanos(10n) }));
  expect(
    amountsOf(
      subtractCharges(parts, [charge(one, 3n), charge(one, 4n), charge(two, 10n), charge(three, 11n)]),
    ),
  ).toEqual([[one, 3n]]);
});
