import { rm, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { countArrears } from "@/server/billing";
import { sqlOf } from "@/server/db/handles";
import { chargeOf } from "@/tests/support/ledger";
import { outageRoom } from "@/tests/support/outage-room";
import { expectRefused } from "@/tests/support/refusal";
import { until } from "@/tests/support/until";

const { entriesOf, hold, newDirectory, partsOf, room, serving, turnOf, waitForPart } = outageRoom();

test("an account keeps its part when a month begins, before it has called", async () => {
  const { link, billing } = await serving();
  const accountId = await room.account(1_000n);
  await waitForPart(billing, accountId, 100n);
  room.clock.now = new Date("2026-07-01T00:00:00Z");
  const before = await turnOf(accountId);
  await until(async () => (await turnOf(accountId)) > before, 60_000);
  link.cut();
  billing.release(await hold(billing, accountId, 100n), "test");
  room.clock.now = new Date("2026-05-15T12:00:00Z");
});

test("a charge that neither the disk nor the database takes does not keep the part from being renewed", async () => {
  const { link, billing, directory } = await serving();
  const accountId = await room.account(1_000n);
  await waitForPart(billing, accountId, 100n);
  link.cut();
  const held = await hold(billing, accountId, 60n);
  await rm(directory, { recursive: true });
  await writeFile(directory, "no directory");
  await expectRefused(billing.capture(held, chargeOf(60n)), "billingFailed");
  await rm(directory);
  const before = await turnOf(accountId);
  link.mend();
  await until(async () => (await turnOf(accountId)) > before, 60_000);
  await until(async () => (await partsOf(accountId)).includes(100n));
  expect(await entriesOf(held.requestId)).toEqual([]);
});

describe("the parts of all processes are together no more than the allowance", () => {
  test("and are shared evenly between the processes that the account calls", async () => {
    const [first, second] = [await serving(), await serving()];
    const accountId = await room.account(1_000n);
    await waitForPart(first.billing, accountId, 100n);
    await Promise.all([first, second].map(({ billing }) => waitForPart(billing, accountId, 50n)));
    await until(async () => (await partsOf(accountId)).join() === "50,50");
    first.link.cut();
    second.link.cut();
    const held = await Promise.all([first, second].map(({ billing }) => hold(billing, accountId, 50n)));
    await Promise.all(
      [first, second].map(({ billing }) => expectRefused(hold(billing, accountId, 1n), "unavailable")),
    );
    expect(held.map(({ amount }) => amount)).toEqual([50n, 50n]);
  });

  test("a process that ends returns its part", async () => {
    const { billing } = await serving();
    const accountId = await room.account(1_000n);
    await waitForPart(billing, accountId, 100n);
    await billing.close();
    expect(await partsOf(accountId)).toEqual([]);
  });

  test("a process keeps its part after a long outage until it has had time to settle", async () => {
    const [first, second] = [await serving(), await serving()];
    const [accountId, other] = [await room.account(1_000n), await room.account(1_000n)];
    await waitForPart(first.billing, accountId, 100n);
    await waitForPart(second.billing, other, 100n);
    first.link.cut();
    second.link.cut();
    const held = await hold(first.billing, accountId, 60n);
    await first.billing.capture(held, chargeOf(60n));
    second.billing.release(await hold(second.billing, other, 1n), "test");
    await sqlOf(room.ledger.db)`
      update outage_parts set expires_at = now() - interval '1 hour' where account_id = ${accountId}`;
    second.link.mend();
    await until(
      async () =>
        await second.billing.sweep().then(
          () => true,
          () => false,
        ),
    );
    expect(await partsOf(accountId)).toEqual([100n]);
    first.link.mend();
    await until(async () => (await countArrears(first.directory)) === 0);
    expect(await entriesOf(held.requestId)).toEqual([["capture", "60", "0", "outage"]]);
  });

  test("a process that dies keeps its part until its charges are in the ledger", async () => {
    const directory = await newDirectory();
    const { link, billing } = await serving({ directory });
    const accountId = await room.account(1_000n);
    await waitForPart(billing, accountId, 100n);
    link.cut();
    const held = await hold(billing, accountId, 60n);
    await billing.capture(held, chargeOf(60n));
    await billing.close({ patienceMs: 0 });
    const { billing: next } = await serving({ directory });
    await until(async () => (await countArrears(directory)) === 0);
    expect(await entriesOf(held.requestId)).toEqual([["capture", "60", "0", "outage"]]);
    await waitForPart(next, accountId, 50n);
    expect(await partsOf(accountId)).toEqual([40n, 50n]);
    await next.sweep();
    expect(await partsOf(accountId)).toEqual([50n]);
    await until(async () => (await partsOf(accountId)).join() === "100");
  });
});
