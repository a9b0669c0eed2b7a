import { mkdtemp, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { nanos } from "@/server/base/money";
import { countArrears } from "@/server/billing";
import { openFresh } from "@/tests/support/database";
import { linkTo } from "@/tests/support/database-link";
import { escrowRoom } from "@/tests/support/escrow-room";
import { chargeOf } from "@/tests/support/ledger";
import { temporaryDirectory } from "@/tests/support/temporary-directory";
import { until } from "@/tests/support/until";

const home = temporaryDirectory();
const { room, call, busy, escrows } = escrowRoom();

const newDirectory = () => mkdtemp(join(home, "charges-"));

/** A process whose charges wait for its disk, and whose database can be cut off. */
async function storing(directory: string) {
  const link = await linkTo(room.databaseUrl);
  const db = openFresh(link.url, { connections: 2 });
  room.onClose(async () => {
    await db.close();
    await link.close();
  });
  return { link, ...room.replica({ db, arrearsDirectory: directory, storesCharges: true }) };
}

const entriesOf = async (requestId: string) =>
  (await room.ledger.entriesOf(requestId)).map(({ kind, amount, held, note }) => [kind, amount, held, note]);

describe("a charge that is on disk", () => {
  test("ends its call while the database is away, and is in the ledger once the database is back", async () => {
    const directory = await newDirectory();
    const { link, billing, incidents, waiting } = await storing(directory);
    const accountId = await room.account(1_000_000n);
    const held = await busy(billing, accountId);
    await until(async () => (await countArrears(directory)) === 0);
    const { used } = await room.balance(accountId);
    link.cut();
    await billing.capture(held, chargeOf(7n));
    expect(await countArrears(directory)).toBe(1);
    await until(() => waiting() === 1);
    link.mend();
    await until(async () => (await countArrears(directory)) === 0);
    expect(await entriesOf(held.requestId)).toEqual([["capture", "7", "10", null]]);
    expect((await room.balance(accountId)).used).toBe(used + 7n);
    expect(incidents).toEqual(["kept"]);
  });

  test("keeps its part of the escrow frozen until then, and gives back the rest of the call's part at once", async () => {
    const { link, billing } = await storing(await newDirectory());
    const accountId = await room.account(100_000n);
    const held = await busy(billing, accountId);
    const [row] = await escrows(accountId);
    const rest = BigInt(row?.amount ?? 0) - BigInt(row?.captured ?? 0);
    link.cut();
    await billing.capture(held, chargeOf(1n));
    const next = await call(billing, accountId, { amount: rest - 1n });
    expect(next.drawn?.escrowId).toBe(row?.id);
    link.mend();
    billing.release(next, "test");
  });

  test("is not undone by a release, nor made twice by a second capture", async () => {
    const directory = await newDirectory();
    const { billing } = await storing(directory);
    const accountId = await room.account(100_000n);
    const held = await busy(billing, accountId);
    await billing.capture(held, chargeOf(7n));
    billing.release(held, "too late");
    await billing.capture(held, chargeOf(7n));
    await until(async () => (await countArrears(directory)) === 0);
    billing.release(held, "later still");
    expect(await entriesOf(held.requestId)).toEqual([["capture", "7", "10", null]]);
  });

  test("is not overtaken by a release while it is being written", async () => {
    const directory = await newDirectory();
    const { billing } = await storing(directory);
    const accountId = await room.account(100_000n);
    const held = await busy(billing, accountId);
    const captured = billing.capture(held, chargeOf(7n));
    billing.release(held, "too early");
    await captured;
    await until(async () => (await countArrears(directory)) === 0);
    expect(await entriesOf(held.requestId)).toEqual([["capture", "7", "10", null]]);
  });

  test("reaches its month before the next call is granted where it is more than is left of the escrow", async () => {
    const { billing } = await storing(await newDirectory());
    const accountId = await room.account(10_000n);
    const held = await busy(billing, accountId);
    await billing.capture(held, chargeOf(9_000n));
    const { used, available } = await room.balance(accountId);
    expect(used).toBeGreaterThanOrEqual(9_000n);
    const request = { ...room.payer(accountId), amount: nanos(available + 6n), minimum: nanos(0n) };
    expect((await room.replica().billing.hold(request)).amount).toBe(available);
  });
});

describe("the charges of a process that has died", () => {
  /** A call that was charged on disk by a process that died before the ledger had it. */
  async function left(directory: string) {
    const { link, billing } = await storing(directory);
    const accountId = await room.account(100_000n);
    const held = await busy(billing, accountId);
    await until(async () => (await countArrears(directory)) === 0);
    link.cut();
    await billing.capture(held, chargeOf(7n));
    await billing.close({ patienceMs: 0 });
    return { accountId, held };
  }

  test("are paid out of its escrow by any process of that machine, and once where two find them", async () => {
    const directory = await newDirectory();
    const { accountId, held } = await left(directory);
    room.replica({ arrearsDirectory: directory });
    room.replica({ arrearsDirectory: directory });
    await until(async () => (await readdir(directory)).length === 0);
    expect(await entriesOf(held.requestId)).toEqual([["capture", "7", "10", null]]);
    await room.lose(held.drawn?.escrowId ?? "", room.replica().billing);
    expect(await room.balance(accountId)).toMatchObject({ frozen: 0n });
  });

  test("are paid before a refused call gets the money of its escrow", async () => {
    const directory = await newDirectory();
    const { accountId, held } = await left(directory);
    await room.ledger.expire([held.drawn?.escrowId ?? ""]);
    const { used, available, frozen } = await room.balance(accountId);
    const { billing } = room.replica({ arrearsDirectory: directory });
    const request = {
      ...room.payer(accountId),
      amount: nanos(available + frozen),
      minimum: nanos(available + 1n),
    };
    const { amount } = await billing.hold(request);
    expect(await entriesOf(held.requestId)).toEqual([["capture", "7", "10", null]]);
    expect(amount).toBe(100_000n - used - 7n);
  });

  test("are late if a process of another machine has returned the escrow before", async () => {
    const directory = await newDirectory();
    const { accountId, held } = await left(directory);
    await room.lose(held.drawn?.escrowId ?? "", room.replica().billing);
    const { used } = await room.balance(accountId);
    const next = room.replica({ arrearsDirectory: directory });
    await until(async () => (await readdir(directory)).length === 0);
    expect(await entriesOf(held.requestId)).toEqual([["capture", "7", "0", "late"]]);
    expect((await room.balance(accountId)).used).toBe(used + 7n);
    expect(next.incidents).toContain("late");
  });
});

test("a disk that takes no charge leaves it to the database", async () => {
  const directory = join(home, "no-directory");
  await writeFile(directory, "");
  const { billing } = await storing(directory);
  const accountId = await room.account(100_000n);
  const held = await busy(billing, accountId);
  await billing.capture(held, chargeOf(7n));
  expect(await entriesOf(held.requestId)).toEqual([["capture", "7", "10", null]]);
});

test("a process that ends settles its charges, gives back its escrows, and leaves no file", async () => {
  const directory = await newDirectory();
  const { billing } = await storing(directory);
  const accountId = await room.account(100_000n);
  const held = await busy(billing, accountId);
  const calls = await Promise.all(Array.from({ length: 20 }, () => call(billing, accountId, { amount: 2n })));
  await Promise.all([held, ...calls].map((each) => billing.capture(each, chargeOf(2n))));
  await billing.close();
  expect(await readdir(directory)).toEqual([]);
  expect(await escrows(accountId)).toEqual([]);
  expect(await room.balance(accountId)).toMatchObject({ frozen: 0n });
});
