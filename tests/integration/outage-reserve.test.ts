import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { setAccountLimits } from "@/server/access";
import { nanos } from "@/server/base/money";
import {
  type Billing,
  chargesOfReserve,
  claimReserve,
  countArrears,
  findReservable,
  limitReserve,
  newReserveHolder,
  publishReserve,
  type ReservedAmount,
  renewReserve,
  subtractCharges,
} from "@/server/billing";
import { sqlOf } from "@/server/db/handles";
import type { AccountId } from "@/server/domain/ids";
import { type Alone, billingRoom } from "@/tests/support/billing-room";
import { openFresh } from "@/tests/support/database";
import { linkTo } from "@/tests/support/database-link";
import { endRun } from "@/tests/support/dead-run";
import { chargeOf } from "@/tests/support/ledger";
import { expectRefused } from "@/tests/support/refusal";
import { temporaryDirectory } from "@/tests/support/temporary-directory";
import { until } from "@/tests/support/until";

const ALLOWANCE = 100n;
const home = temporaryDirectory();
const { room } = billingRoom({ leaseSeconds: 3, busyCalls: 1_000_000 });

const newDirectory = () => mkdtemp(join(home, "charges-"));
const hold = async (billing: Billing, accountId: AccountId, amount: bigint) =>
  await billing.hold({ ...room.payer(accountId), amount: nanos(amount) });
const lowest = (left: bigint, right: bigint) => (left < right ? -1 : 1);

/** A process of a server, and the server's reserve for an account that it serves. */
async function serverWith(accountId: AccountId) {
  const directory = await newDirectory();
  const holder = newReserveHolder(directory);
  const { billing } = room.replica({
    ...{ arrearsDirectory: directory, storesCharges: true, outage: { allowance: ALLOWANCE } },
  });
  billing.release(await hold(billing, accountId, 1n), "test");
  let amounts: ReservedAmount[] = [];
  let turn = 0;
  const parts = async () => {
    const rows = await sqlOf(room.ledger.db)<{ id: string; amount: string }[]>`
      select process_id as id, amount::text from outage_parts where account_id = ${accountId}`;
    const of = (isReserve: boolean) =>
      rows
        .filter(({ id }) => (id === holder) === isReserve)
        .map(({ amount }) => BigInt(amount))
        .toSorted(lowest);
    return { reserved: of(true), ofProcesses: of(false) };
  };
  /** As the keeper does it, with what the account may have at this moment. */
  const renew = async () => {
    const accounts = await findReservable(room.ledger.db, directory);
    const terms = { allowance: nanos(ALLOWANCE), period: billing.period(), usableMs: 60_000 };
    amounts = await renewReserve(
      room.ledger.db,
      { holder, amounts },
      {
        ...{ ...terms, accountIds: accounts.map((account) => account.accountId) },
        nextTurn: () => ++turn,
      },
    );
    amounts = limitReserve(amounts, accounts, nanos(ALLOWANCE));
    return amounts.find((part) => part.accountId === accountId)?.amount ?? 0n;
  };
  await until(async () => {
    const { reserved, ofProcesses } = await parts();
    const sum = [...reserved, ...ofProcesses].reduce((total, amount) => total + amount, 0n);
    expect(sum).toBeLessThanOrEqual(ALLOWANCE);
    return (await renew()) === 10n && ofProcesses[0] === 90n;
  });
  return { directory, holder, billing, parts, renew, amounts: () => amounts };
}

/** A process that was started without its database and has claimed the directory's reserve. */
async function startAlone(directory: string, { reserve }: Pick<Alone, "reserve">, arrears = directory) {
  const link = await linkTo(room.databaseUrl);
  link.cut();
  const db = openFresh(link.url, { connections: 2 });
  let isShut = true;
  const process = room.replica({
    ...{ db, arrearsDirectory: arrears, storesCharges: true },
    outage: { allowance: ALLOWANCE, alone: { reserve, isShut: () => isShut } },
  });
  room.onClose(async () => {
    link.mend();
    await db.close();
    await link.close();
  });
  return {
    ...process,
    reach: () => {
      isShut = false;
      link.mend();
    },
  };
}

const claimed = async (directory: string) => {
  const claim = await claimReserve(directory);
  if (claim === null) {
    throw new Error("there is nothing to claim");
  }
  return claim;
};

test("a reserve is a tenth, processes have the rest, and all parts are together no more than the allowance", async () => {
  const accountId = await room.account(1_000n);
  const { parts } = await serverWith(accountId);
  expect(await parts()).toEqual({ reserved: [10n], ofProcesses: [90n] });
});

test("an allowance that is lowered limits the next file at once, and the database's record after it", async () => {
  const accountId = await room.account(1_000n);
  const { parts, renew } = await serverWith(accountId);
  await setAccountLimits(room.ledger.db, { accountId, outageAllowance: nanos(40n) });
  expect([await renew(), (await parts()).reserved]).toEqual([4n, [10n]]);
  expect([await renew(), (await parts()).reserved]).toEqual([4n, [4n]]);
  await setAccountLimits(room.ledger.db, { accountId, outageAllowance: nanos(0n) });
  expect(await renew()).toBe(0n);
});

test("runs without the database sell the reserve once, and it is returned when the ledger has their charges", async () => {
  const accountId = await room.account(1_000n);
  const { directory, holder, billing, parts, amounts } = await serverWith(accountId);
  await publishReserve(directory, holder, { sealed: Buffer.from(""), isCurrent: () => true });

  const first = await claimed(directory);
  const one = await startAlone(directory, { reserve: { holder, parts: amounts() } });
  const paid = await hold(one.billing, accountId, 10n);
  await expectRefused(hold(one.billing, accountId, 1n), "unavailable");
  await one.billing.capture(paid, chargeOf(6n));
  await endRun(first);

  const second = await claimed(directory);
  expect([second.holder, second.isFresh]).toEqual([holder, false]);
  const charges = (await chargesOfReserve(directory, holder)) ?? [];
  const left = subtractCharges(amounts(), charges);
  expect(left.map(({ amount }) => amount)).toEqual([4n]);
  const two = await startAlone(directory, { reserve: { holder, parts: left } });
  const last = await hold(two.billing, accountId, 4n);
  await expectRefused(hold(two.billing, accountId, 1n), "unavailable");
  await two.billing.capture(last, chargeOf(4n));
  expect(await countArrears(directory)).toBe(2);

  one.reach();
  two.reach();
  await until(async () => (await countArrears(directory)) === 0);
  for (const [{ requestId }, amount] of [
    [paid, "6"],
    [last, "4"],
  ] as const) {
    const entries = await room.ledger.entriesOf(requestId);
    expect(entries.map((entry) => [entry.kind, entry.amount, entry.note])).toEqual([
      ["capture", amount, "outage"],
    ]);
  }
  expect((await parts()).reserved).toEqual([0n]);
  // No further run may sell from it, also after an end.
  await endRun(second);
  expect(await claimReserve(directory)).toBeNull();
  await billing.sweep();
  expect((await parts()).reserved).toEqual([]);
  expect((await readdir(directory)).filter((name) => name.startsWith("reserve_"))).toEqual([]);
  expect((await room.balance(accountId)).used).toBe(10n);
});

test("a reserve whose run has ended is not returned before its charges are settled", async () => {
  const accountId = await room.account(1_000n);
  const { directory, holder, billing, parts, amounts } = await serverWith(accountId);
  await publishReserve(directory, holder, { sealed: Buffer.from(""), isCurrent: () => true });
  const claim = await claimed(directory);
  const alone = await startAlone(directory, { reserve: { holder, parts: amounts() } });
  await alone.billing.capture(await hold(alone.billing, accountId, 5n), chargeOf(5n));
  await billing.sweep();
  expect((await parts()).reserved).toEqual([10n]);
  await endRun(claim);
  await billing.sweep();
  expect((await parts()).reserved).toEqual([10n]);
  alone.reach();
  await until(async () => (await countArrears(directory)) === 0);
  await billing.sweep();
  expect((await parts()).reserved).toEqual([]);
});

test("charges that a full disk has left in memory reach the ledger after the return", async () => {
  const accountId = await room.account(1_000n);
  const { directory, holder, amounts } = await serverWith(accountId);
  const full = join(await newDirectory(), "charges");
  const alone = await startAlone(directory, { reserve: { holder, parts: amounts() } }, full);
  const held = await hold(alone.billing, accountId, 5n);
  await writeFile(full, "");
  // The client has the answer already, and the call is charged later.
  await expectRefused(alone.billing.capture(held, chargeOf(5n), { isDelivered: true }), "billingFailed");
  expect(alone.billing.unsettled()).toBe(1);
  await expectRefused(hold(alone.billing, accountId, 1n), "unavailable");
  await rm(full);
  alone.reach();
  await until(() => alone.billing.unsettled() === 0);
  const entries = await room.ledger.entriesOf(held.requestId);
  expect(entries.map(({ kind, amount, note }) => [kind, amount, note])).toEqual([["capture", "5", "outage"]]);
});
