import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { setAccountLimits } from "@/server/access";
import { nanos } from "@/server/base/money";
import {
  type Billing,
  claimReserve,
  countArrears,
  findClaimable,
  findReservable,
  limitReserve,
  newReserveHolder,
  openDraft,
  publishDraft,
  type ReservedAmount,
  renewReserve,
  writeDraft,
} from "@/server/billing";
import { sweepReserves } from "@/server/billing/outage/reserve";
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
  const holder = newReserveHolder();
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
    const accounts = await findReservable(room.ledger.db, holder);
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

/** Publishes a server's reserve. */
async function publish({ directory, holder }: { directory: string; holder: string }) {
  const draft = await openDraft(directory, { holder, turn: 1 });
  const name = (await writeDraft(directory, draft, Buffer.from(""))) ?? "";
  await publishDraft(directory, draft, name);
  return join(directory, name);
}

/** Publishes it, and a start claims it. */
async function claimed(server: { directory: string; holder: string }) {
  await publish(server);
  const [file] = await findClaimable(server.directory);
  const claim = file && (await claimReserve(server.directory, file));
  if (!claim) {
    throw new Error("there is nothing to claim");
  }
  return claim;
}

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

test("a run without the database sells the reserve once, and it is returned when the ledger has its charges", async () => {
  const accountId = await room.account(1_000n);
  const server = await serverWith(accountId);
  const { directory, holder, billing, parts, amounts } = server;
  const claim = await claimed(server);
  const alone = await startAlone(directory, { reserve: { holder, parts: amounts() } });
  const paid = await hold(alone.billing, accountId, 6n);
  await expectRefused(hold(alone.billing, accountId, 5n), "unavailable");
  await alone.billing.capture(paid, chargeOf(6n));
  await alone.billing.capture(await hold(alone.billing, accountId, 4n), chargeOf(4n));
  await expectRefused(hold(alone.billing, accountId, 1n), "unavailable");
  expect(await countArrears(directory)).toBe(2);
  await endRun(claim);
  expect(await findClaimable(directory)).toEqual([]);
  // Its charges are not in the ledger yet.
  await billing.sweep();
  expect((await parts()).reserved).toEqual([10n]);

  alone.reach();
  await until(async () => (await countArrears(directory)) === 0);
  const entries = await room.ledger.entriesOf(paid.requestId);
  expect(entries.map((entry) => [entry.kind, entry.amount, entry.note])).toEqual([
    ["capture", "6", "outage"],
  ]);
  expect((await parts()).reserved).toEqual([0n]);
  await billing.sweep();
  expect((await parts()).reserved).toEqual([]);
  expect((await readdir(directory)).filter((name) => name.startsWith("reserve_"))).toEqual([]);
  expect((await room.balance(accountId)).used).toBe(10n);
});

test("a reserve is not returned while its run lives, whether it has sold anything or not", async () => {
  const accountId = await room.account(1_000n);
  const server = await serverWith(accountId);
  const claim = await claimed(server);
  await server.billing.sweep();
  expect((await server.parts()).reserved).toEqual([10n]);
  await endRun(claim);
  await server.billing.sweep();
  expect((await server.parts()).reserved).toEqual([]);
});

test("a file that cannot be read keeps a reserve only if its run may have written it", async () => {
  const accountId = await room.account(1_000n);
  const server = await serverWith(accountId);
  // Of another program.
  await mkdir(join(server.directory, "other.log"));
  const [, pid, start] = /\.\d+-(\d+)-(\w+)\.claimed$/.exec(await endRun(await claimed(server))) ?? [];
  const own = join(server.directory, `host.${pid}.${start}.0123456789ab.0.left.log`);
  await mkdir(own);
  await server.billing.sweep();
  expect((await server.parts()).reserved).toEqual([10n]);
  await rm(own, { recursive: true });
  await server.billing.sweep();
  expect((await server.parts()).reserved).toEqual([]);
});

test("a reserve whose return fails is returned by the next sweep, of any process", async () => {
  const accountId = await room.account(1_000n);
  const server = await serverWith(accountId);
  const path = await publish(server);
  await utimes(path, new Date(), new Date(Date.now() - 200_000));
  const link = await linkTo(room.databaseUrl);
  const db = openFresh(link.url, { connections: 1 });
  link.cut();
  await expect(
    sweepReserves(db, { directory: server.directory, names: [], isSteady: true }),
  ).rejects.toThrow();
  await db.close();
  await link.close();
  expect([await findClaimable(server.directory), (await server.parts()).reserved]).toEqual([[], [10n]]);
  await server.billing.sweep();
  expect((await server.parts()).reserved).toEqual([]);
  expect((await readdir(server.directory)).filter((name) => name.startsWith("reserve_"))).toEqual([]);
});

test("a file that no server renews is removed and its reserve returned, also when none is kept any more", async () => {
  const accountId = await room.account(1_000n);
  const server = await serverWith(accountId);
  const path = await publish(server);
  const charged = room.replica({ arrearsDirectory: server.directory });
  await charged.billing.sweep();
  expect((await server.parts()).reserved).toEqual([10n]);
  await utimes(path, new Date(), new Date(Date.now() - 200_000));
  await charged.billing.sweep();
  expect((await server.parts()).reserved).toEqual([]);
  expect((await readdir(server.directory)).filter((name) => name.startsWith("reserve_"))).toEqual([]);
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
