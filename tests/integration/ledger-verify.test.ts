import { describe, expect, test } from "vitest";
import { listChanges } from "@/server/audit";
import type { AccountId } from "@/server/base/ids";
import { nanos } from "@/server/base/money";
import {
  type Drift,
  findVerified,
  repairMonth,
  verifyLedger,
  verifyOpenMonths,
  verifySlices,
} from "@/server/billing";
import { transaction } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import { openBillingRoom } from "@/tests/support/billing-room";
import { commandsOn } from "@/tests/support/command";
import { openFresh } from "@/tests/support/database";
import { chargeOf } from "@/tests/support/ledger";
import { madeUp } from "@/tests/support/made-up";
import { perFile } from "@/tests/support/per-file";
import { until } from "@/tests/support/until";

const period = "2026-05";
const room = perFile(() => openBillingRoom({ leaseSeconds: 5 }));
let interrupt: () => void = () => {};

const db = () => room.ledger.db;
const sql = () => sqlOf(db());
const onStart = (stop: () => void) => {
  interrupt = stop;
};
const { run, json } = commandsOn(() => room.databaseUrl, {}, onStart);

/** An account that has paid 40 by a key under a cap, and has 25 frozen. */
async function customer(quota = 1_000n): Promise<AccountId> {
  const { billing } = room.replica();
  const accountId = await room.account(quota);
  const paid = await billing.hold({ ...room.payer(accountId, 500n), amount: nanos(50n) });
  await billing.capture(paid, chargeOf(40n, "upstream", madeUp(`key_of_${accountId}`)));
  await billing.hold({ ...room.payer(accountId, 500n), amount: nanos(25n) });
  return accountId;
}

const brief = ({ figure, recorded, recomputed }: Drift) => ({ figure, recorded, recomputed });
const sums = async (accountId: AccountId) => ({
  months: await room.ledger.months([accountId]),
  keys: await room.ledger.keyMonths([madeUp(`key_of_${accountId}`)]),
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
  found: [figure: string, recorded: bigint | null, recomputed: bigint][];
  mended?: string[];
};
const wrongs: Wrong[] = [
  {
    what: "a quota",
    make: "update account_months set quota = quota + 7",
    found: [["quota", 1_007n, 1_000n]],
  },
  { what: "top-ups", make: "update account_months set topups = 7", found: [["topups", 7n, 0n]] },
  { what: "what is used", make: "update account_months set used = 1", found: [["used", 1n, 40n]] },
  { what: "what is frozen", make: "update account_months set frozen = 0", found: [["frozen", 0n, 25n]] },
  {
    what: "a month that is not there",
    make: "delete from account_months",
    found: [
      ["frozen", null, 25n],
      ["quota", null, 1_000n],
      ["topups", null, 0n],
      ["used", null, 40n],
      ["key_frozen", 25n, 0n],
      ["key_used", 40n, 0n],
    ],
    // There are no top-ups, and its key's month is right as soon as there is a month that counts it.
    mended: ["frozen", "quota", "used"],
  },
  { what: "an hour", make: "update spend_hours set amount = 41", found: [["spend", 41n, 40n]] },
  { what: "an hour that is not there", make: "delete from spend_hours", found: [["spend", null, 40n]] },
  {
    what: "a key's month",
    make: "update key_months set used = 3, frozen = 4",
    found: [
      ["key_frozen", 4n, 25n],
      ["key_used", 3n, 40n],
    ],
  },
];

describe.each(wrongs)("$what that is wrong", ({ make, found: figures, mended }) => {
  const found = figures.map(([figure, recorded, recomputed]) => ({ figure, recorded, recomputed }));

  test("is found in its slice and named, and mending it leaves an audit entry and touches nothing else", async () => {
    const accountId = await customer();
    const before = { sums: await sums(accountId), facts: await facts(accountId) };
    await sql().unsafe(`${make} where account_id = $1`, [accountId]);
    expect((await room.ledger.verify()).map(brief)).toEqual(found);
    expect(await verifyLedger(db(), { accountIds: [accountId], periods: [period] })).toMatchObject(found);

    const shown = await run("ledger", "repair", "--account", accountId);
    expect(shown).toMatchObject({ code: 0, err: "nothing was changed: --yes mends these\n" });
    expect(await verifyLedger(db(), { accountIds: [accountId] })).toHaveLength(found.length);

    const done = await json<{ figure: string }[]>("ledger", "repair", "--yes");
    expect(done.map(({ figure }) => figure)).toEqual(mended ?? found.map(({ figure }) => figure));
    expect(await room.ledger.verify()).toEqual([]);
    expect({ sums: await sums(accountId), facts: await facts(accountId) }).toEqual(before);
    const { rows } = await listChanges(db(), {}, { limit: 1 });
    expect(rows).toMatchObject([{ action: "ledger.repair", accountId, after: { period } }]);
    const told = [rows[0]?.before, rows[0]?.after].flatMap((side) => Object.keys(side ?? {}));
    expect(told.length).toBeGreaterThan(1);
  });
});

const stray = (accountId: AccountId, keyId: string) => sql()`
  insert into key_months (account_id, period, key_id, used, frozen) values (${accountId}, ${period}, ${keyId}, 5, 0)`;
const mend = (accountId: AccountId) => transaction(db(), (tx) => repairMonth(tx, { accountId, period }));

test("a key's month that no account knows of is found once its month has been verified", async () => {
  const accountId = await room.account(1_000n);
  await stray(accountId, "key_stray");
  const found = { figure: "key_used", recorded: 5n, recomputed: 0n };
  expect((await room.ledger.verify()).map(brief)).toEqual([found]);
  expect(await run("ledger", "repair", "--yes")).toMatchObject({ code: 0 });
  expect(await room.ledger.verify()).toEqual([]);
  expect(await room.ledger.keyMonths([madeUp("key_stray")])).toMatchObject([{ used: 0n, frozen: 0n }]);
});

test("a key's month that nobody counted is mended, and the key's cap holds from then on", async () => {
  const { billing } = room.replica();
  const accountId = await room.account(1_000n);
  const { keyId } = room.payer(accountId);
  const pay = async (keyCap: bigint | null) => {
    const held = await billing.hold({ ...room.payer(accountId, keyCap), amount: nanos(10n) });
    await billing.capture(held, chargeOf(10n, "upstream", keyId));
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

test("a month that was lost and is opened anew has one grant, and is mended with the quota that it had", async () => {
  const accountId = await customer();
  const before = await room.ledger.months([accountId]);
  await sql()`delete from account_months where account_id = ${accountId}`;
  await room.balance(accountId);
  await mend(accountId);
  expect(await room.ledger.months([accountId])).toEqual(before);
  expect(await room.ledger.verify([accountId])).toEqual([]);
});

test("what is overspent is no sum: it is told, and left as it is", async () => {
  const accountId = await customer();
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

test("a repair while calls go on loses none of them", async () => {
  const { billing } = room.replica();
  // As long as the repairs take, however many calls that is, for the account and for its key.
  const enough = 1_000_000_000n;
  const accountId = await customer(enough);
  let isOver = false;
  const calls = Array.from({ length: 8 }, async () => {
    while (!isOver) {
      const hold = await billing.hold({ ...room.payer(accountId, enough), amount: nanos(2n) });
      await billing.capture(hold, chargeOf(1n, "upstream", madeUp(`key_of_${accountId}`)));
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

describe("what is asked for alone", () => {
  test("is one account, or one month, or what comes from a place on", async () => {
    const [first, second] = [await customer(), await customer()].sort();
    await sql()`update account_months set used = 0 where account_id in (${first ?? ""}, ${second ?? ""})`;
    const found = async (...flags: string[]) => {
      const { code, out } = await run("ledger", "verify", ...flags, "--json");
      const rows = code === 1 ? (JSON.parse(out) as { account: string }[]) : [];
      return { code, accounts: rows.map(({ account }) => account) };
    };
    expect(await found()).toEqual({ code: 1, accounts: [first, second] });
    expect(await found("--account", second ?? "")).toEqual({ code: 1, accounts: [second] });
    expect(await found("--month", period)).toEqual({ code: 1, accounts: [first, second] });
    expect(await found("--month", "2026-04")).toEqual({ code: 0, accounts: [] });
    expect(await found("--from", `${period}:${first}`)).toEqual({ code: 1, accounts: [second] });
    expect(await found("--from", "2026-04:")).toEqual({ code: 0, accounts: [] });
    await json("ledger", "repair", "--yes");
  });

  test.each([
    ["--from", "yesterday"],
    ["--month", "2026-13"],
    ["--account", "nobody"],
  ])("%s %s is nothing that can be checked: exit 2", async (flag, value) => {
    expect(await run("ledger", "verify", flag, value)).toMatchObject({ code: 2, out: "" });
  });
});

describe("what could not be checked is never told as drift", () => {
  /** Runs it against a table that somebody has locked, until `end` has ended it. */
  async function blocked(end: () => unknown) {
    const verdict = { code: -1, out: "", err: "" };
    await sql().begin(async (tx) => {
      await tx`lock table account_months in access exclusive mode`;
      const verifying = run("ledger", "verify");
      // Not by this transaction: what it has once seen of others' waiting stays the same until its end.
      await until(async () => (await room.ledger.waiters()) > 0);
      await end();
      Object.assign(verdict, await verifying);
    });
    return verdict;
  }

  test("a statement that took too long is exit 2", async () => {
    // As the server ends one at its timeout: 57014.
    const cancel = () => sql()`
      select pg_cancel_backend(pid) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    const { code, out, err } = await blocked(cancel);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain("not all of it was checked: canceling statement");
  });

  test("an interruption is exit 2", async () => {
    const { code, err } = await blocked(() => interrupt());
    expect({ code, err }).toEqual({ code: 2, err: "not all of it was checked: interrupted\n" });
  });

  test("a database that is away is exit 2", async () => {
    const nobody = commandsOn(() => "postgres://nobody@127.0.0.1:1/none");
    expect(await nobody.run("ledger", "verify")).toMatchObject({ code: 2, out: "" });
  });
});

describe("the replicas' own verification of the months that still move", () => {
  const due = () => sql()`update ledger_checks set next_at = now()`;

  test("is taken up by one replica at a time, and by another where one has stopped", async () => {
    await customer();
    const steps = await Promise.all([1, 2, 3].map(() => verifyOpenMonths(db(), period)));
    expect(steps.filter((step) => step !== null)).toHaveLength(1);
    const other = openFresh(room.databaseUrl);
    expect(await verifyOpenMonths(other, period)).toBeNull();
    await due();
    expect(await verifyOpenMonths(other, period)).toMatchObject({ period: "2026-04", next: null });
    await other.close();
  });

  test("goes through the open month and the one before, and tells when it has ended and what it found", async () => {
    const accountId = await customer();
    await sql()`update account_months set used = 0 where account_id = ${accountId}`;
    await sql()`delete from ledger_checks`;
    const seen: string[] = [];
    for (let step = 0; (await findVerified(db())).at === null && step < 20; step++) {
      await due();
      const slice = await verifyOpenMonths(db(), period);
      seen.push(slice?.period ?? "none");
      if (step === 0) {
        expect(await findVerified(db())).toMatchObject({ at: null, drifts: 1 });
      }
    }
    expect([...new Set(seen)]).toEqual([period, "2026-04"]);
    const [row] = await sql()`select count(*)::int as entries from ledger_entries where period = ${period}`;
    expect(await findVerified(db())).toEqual({ at: expect.any(Date), entries: row?.entries, drifts: 1 });
    await json("ledger", "repair", "--yes");
  });
});

test("every account of a month is in one step and no more, and a step leads to the next", async () => {
  // A month of more accounts than one statement reads.
  await sql()`
    insert into ledger_entries (id, account_id, period, kind, amount)
    select 'grant', 'acc_many_' || i, '2026-01', 'grant', 0 from generate_series(1, 23450) as i`;
  const steps = async (scope: Parameters<typeof verifySlices>[1]) => {
    const found: { entries: number; next: unknown }[] = [];
    for await (const { entries, next } of verifySlices(db(), { periods: ["2026-01"], ...scope })) {
      found.push({ entries, next });
    }
    return found;
  };
  const each = await steps({});
  expect(each.reduce((sum, { entries }) => sum + entries, 0)).toBe(23450);
  expect(each.length).toBeGreaterThan(2);
  expect(await steps({ atOnce: 2 }), "two at a time").toEqual(each);
  const from = each[0]?.next as { period: string; after: string };
  expect(await steps({ atOnce: 2, from }), "from where one has ended").toEqual(each.slice(1));
  await sql()`delete from ledger_entries where period = '2026-01'`;
});
