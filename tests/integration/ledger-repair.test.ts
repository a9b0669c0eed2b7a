import { describe, expect, test } from "vitest";
import { listChanges } from "@/server/audit";
import { nanos } from "@/server/base/money";
import { type Drift, repairMonth, verifyLedger } from "@/server/billing";
import { transaction } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import type { AccountId } from "@/server/domain/ids";
import { openBillingRoom } from "@/tests/support/billing-room";
import { branded } from "@/tests/support/branded";
import { commandsOn } from "@/tests/support/command";
import { chargeOf } from "@/tests/support/ledger";
import { payingAccount } from "@/tests/support/paying-account";
import { perFile } from "@/tests/support/per-file";

const period = "2026-05";
const room = perFile(() => openBillingRoom({ leaseSeconds: 5 }));
const db = () => room.ledger.db;
const sql = () => sqlOf(db());
const { run, json } = commandsOn(() => room.databaseUrl);

const brief = ({ figure, recorded, recomputed }: Drift) => ({ figure, recorded, recomputed });
const sums = async (accountId: AccountId) => ({
  months: await room.ledger.months([accountId]),
  keys: await room.ledger.keyMonths([branded(`key_of_${accountId}`)]),
  hours: [
    ...(await sql()`select hour, calls, amount, input_tokens, output_tokens from spend_hours
      where account_id = ${accountId}`),
  ],
});
const facts = async (accountId: AccountId) => ({
  entries: [...(await sql()`select * from ledger_entries where account_id = ${accountId} order by id`)],
  holds: [...(await sql()`select request_id, amount from holds where account_id = ${accountId}`)],
});

type Wrong = {
  what: string;
  make: string;
  figures: [figure: string, recorded: bigint | null, recomputed: bigint][];
  mended?: string[];
};
const wrongs: Wrong[] = [
  {
    what: "a quota",
    make: "update account_months set quota = quota + 7",
    figures: [["quota", 1_007n, 1_000n]],
  },
  { what: "the top-ups", make: "update account_months set topups = 7", figures: [["topups", 7n, 0n]] },
  { what: "the used amount", make: "update account_months set used = 1", figures: [["used", 1n, 40n]] },
  { what: "the frozen amount", make: "update account_months set frozen = 0", figures: [["frozen", 0n, 25n]] },
  {
    what: "what outage allowances paid",
    make: "update account_months set outage = 3",
    figures: [["outage", 3n, 0n]],
  },
  {
    what: "a month without its row",
    make: "delete from account_months",
    figures: [
      ["frozen", null, 25n],
      ["outage", null, 0n],
      ["quota", null, 1_000n],
      ["topups", null, 0n],
      ["used", null, 40n],
      ["key_frozen", 25n, 0n],
      ["key_used", 40n, 0n],
    ],
    // There are no top-ups, and the key's month is right as soon as a month exists that counts it.
    mended: ["frozen", "quota", "used"],
  },
  { what: "an hour", make: "update spend_hours set amount = 41", figures: [["spend", 41n, 40n]] },
  { what: "an hour without its row", make: "delete from spend_hours", figures: [["spend", null, 40n]] },
  {
    what: "a key's month",
    make: "update key_months set used = 3, frozen = 4",
    figures: [
      ["key_frozen", 4n, 25n],
      ["key_used", 3n, 40n],
    ],
  },
];

describe.each(wrongs)("drift in $what", ({ make, figures, mended }) => {
  const drifts = figures.map(([figure, recorded, recomputed]) => ({ figure, recorded, recomputed }));

  test("is found in its slice and named, and the repair leaves an audit entry and touches nothing else", async () => {
    const accountId = await payingAccount(room);
    const before = { sums: await sums(accountId), facts: await facts(accountId) };
    await sql().unsafe(`${make} where account_id = $1`, [accountId]);
    expect((await room.ledger.verify()).map(brief)).toEqual(drifts);
    expect(await verifyLedger(db(), { accountIds: [accountId], periods: [period] })).toMatchObject(drifts);

    const shown = await run("ledger", "repair", "--account", accountId);
    expect(shown).toMatchObject({ code: 0, err: "nothing was changed; correct these with --yes\n" });
    expect(await verifyLedger(db(), { accountIds: [accountId] })).toHaveLength(drifts.length);

    const done = await json<{ figure: string }[]>("ledger", "repair", "--yes");
    expect(done.map(({ figure }) => figure)).toEqual(mended ?? drifts.map(({ figure }) => figure));
    expect(await room.ledger.verify()).toEqual([]);
    expect({ sums: await sums(accountId), facts: await facts(accountId) }).toEqual(before);
    const { rows } = await listChanges(db(), {}, { limit: 1 });
    expect(rows).toMatchObject([{ action: "ledger.repair", accountId, after: { period } }]);
    const fields = [rows[0]?.before, rows[0]?.after].flatMap((side) => Object.keys(side ?? {}));
    expect(fields.length).toBeGreaterThan(1);
  });
});

const stray = (accountId: AccountId, keyId: string) => sql()`
  insert into key_months (account_id, period, key_id, used, frozen) values (${accountId}, ${period}, ${keyId}, 5, 0)`;
const mend = (accountId: AccountId) => transaction(db(), (tx) => repairMonth(tx, { accountId, period }));

test("a stray row of a key's month is found when its month is verified, and corrected", async () => {
  const accountId = await room.account(1_000n);
  await stray(accountId, "key_stray");
  const drift = { figure: "key_used", recorded: 5n, recomputed: 0n };
  expect((await room.ledger.verify()).map(brief)).toEqual([drift]);
  expect(await run("ledger", "repair", "--yes")).toMatchObject({ code: 0 });
  expect(await room.ledger.verify()).toEqual([]);
  expect(await room.ledger.keyMonths([branded("key_stray")])).toMatchObject([{ used: 0n, frozen: 0n }]);
});

test("a key's month that was not counted is corrected, and the key's cap holds from then on", async () => {
  const { billing } = room.replica();
  const accountId = await room.account(1_000n);
  const { keyId } = room.payer(accountId);
  const pay = async (keyCap: bigint | null) => {
    const held = await billing.hold({ ...room.payer(accountId, keyCap), amount: nanos(10n) });
    await billing.capture(held, chargeOf(10n));
  };
  await pay(null);
  await stray(accountId, keyId);
  const repair = await mend(accountId);
  expect(repair.mended).toHaveLength(1);
  await pay(30n);
  await pay(30n);
  await expect(pay(30n)).rejects.toMatchObject({ kind: "quotaExhausted" });
  expect(await room.ledger.verify([accountId])).toEqual([]);
});

test("a lost month that is opened again has one grant, and is repaired with its earlier quota", async () => {
  const accountId = await payingAccount(room);
  const before = await room.ledger.months([accountId]);
  await sql()`delete from account_months where account_id = ${accountId}`;
  await room.balance(accountId);
  await mend(accountId);
  expect(await room.ledger.months([accountId])).toEqual(before);
  expect(await room.ledger.verify([accountId])).toEqual([]);
});

test("a repair reports an overspent month, which is no wrong sum, and leaves it as it is", async () => {
  const accountId = await payingAccount(room);
  await sql()`
    with entry as (update ledger_entries set amount = 10 where account_id = ${accountId} and kind = 'grant')
    update account_months set quota = 10 where account_id = ${accountId}`;
  const before = await facts(accountId);
  const { code, out } = await run("ledger", "repair", "--account", accountId, "--yes", "--json");
  expect({ code, left: JSON.parse(out) }).toMatchObject({ code: 1, left: [{ figure: "overspent" }] });
  expect(await facts(accountId)).toEqual(before);
  await sql()`
    with entry as (update ledger_entries set amount = 1000 where account_id = ${accountId} and kind = 'grant')
    update account_months set quota = 1000 where account_id = ${accountId}`;
});

test("a repair during calls loses none of them", async () => {
  const { billing } = room.replica();
  // Enough for the account and its key for as long as the repairs take, however many calls that is.
  const enough = 1_000_000_000n;
  const accountId = await payingAccount(room, enough);
  let isOver = false;
  const calls = Array.from({ length: 8 }, async () => {
    while (!isOver) {
      const hold = await billing.hold({ ...room.payer(accountId, enough), amount: nanos(2n) });
      await billing.capture(hold, chargeOf(1n));
    }
  });
  for (let round = 0; round < 5; round++) {
    await sql()`update account_months set used = used + 9, frozen = frozen - 1 where account_id = ${accountId}`;
    await sql()`update spend_hours set amount = amount + 9, calls = calls - 1 where account_id = ${accountId}`;
    await sql()`update key_months set used = used - 5 where key_id = ${`key_of_${accountId}`}`;
    await json("ledger", "repair", "--account", accountId, "--month", period, "--yes");
    expect(await room.ledger.verify()).toEqual([]);
  }
  isOver = true;
  await Promise.all(calls);
  expect(await room.ledger.verify()).toEqual([]);
});
