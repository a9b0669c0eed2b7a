import { describe, expect, test } from "vitest";
import { findVerified, verifyOpenMonths, verifySlices } from "@/server/billing";
import { sqlOf } from "@/server/db/handles";
import { openBillingRoom } from "@/tests/support/billing-room";
import { commandsOn } from "@/tests/support/command";
import { openFresh } from "@/tests/support/database";
import { payingAccount } from "@/tests/support/paying-account";
import { perFile } from "@/tests/support/per-file";
import { until } from "@/tests/support/until";

const period = "2026-05";
const room = perFile(() => openBillingRoom({ leaseSeconds: 5 }));
const db = () => room.ledger.db;
const sql = () => sqlOf(db());
let interrupt: () => void = () => {};
const onStart = (stop: () => void) => {
  interrupt = stop;
};
const { run, json } = commandsOn(() => room.databaseUrl, {}, onStart);

describe("a verification of a part", () => {
  test("covers one account, one month, or the slices after a given one", async () => {
    const [first, second] = [await payingAccount(room), await payingAccount(room)].sort();
    await sql()`update account_months set used = 0 where account_id in (${first ?? ""}, ${second ?? ""})`;
    const verify = async (...flags: string[]) => {
      const { code, out } = await run("ledger", "verify", ...flags, "--json");
      const rows = code === 1 ? (JSON.parse(out) as { account: string }[]) : [];
      return { code, accounts: rows.map(({ account }) => account) };
    };
    expect(await verify()).toEqual({ code: 1, accounts: [first, second] });
    expect(await verify("--account", second ?? "")).toEqual({ code: 1, accounts: [second] });
    expect(await verify("--month", period)).toEqual({ code: 1, accounts: [first, second] });
    expect(await verify("--month", "2026-04")).toEqual({ code: 0, accounts: [] });
    expect(await verify("--from", `${period}:${first}`)).toEqual({ code: 1, accounts: [second] });
    expect(await verify("--from", "2026-04:")).toEqual({ code: 0, accounts: [] });
    await json("ledger", "repair", "--yes");
  });

  test.each([
    ["--from", "yesterday"],
    ["--month", "2026-13"],
    ["--account", "nobody"],
  ])("refuses %s %s with exit code 2", async (flag, value) => {
    expect(await run("ledger", "verify", flag, value)).toMatchObject({ code: 2, out: "" });
  });
});

describe("an incomplete check is never reported as drift", () => {
  /** Runs the verification while its table is locked, until `end` has ended it. */
  async function verifyWhileLocked(end: () => unknown) {
    const verdict = { code: -1, out: "", err: "" };
    await sql().begin(async (tx) => {
      await tx`lock table account_months in access exclusive mode`;
      const verifying = run("ledger", "verify");
      // Not on this transaction: its view of other waiting statements would not change until its end.
      await until(async () => (await room.ledger.waiters()) > 0);
      await end();
      Object.assign(verdict, await verifying);
    });
    return verdict;
  }

  test("a statement that takes too long has exit code 2", async () => {
    // As the server ends a statement at its timeout: 57014.
    const cancel = () => sql()`
      select pg_cancel_backend(pid) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    const { code, out, err } = await verifyWhileLocked(cancel);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain("the check is incomplete: canceling statement");
  });

  test("an interruption has exit code 2", async () => {
    const { code, err } = await verifyWhileLocked(() => interrupt());
    expect({ code, err }).toEqual({ code: 2, err: "the check is incomplete: interrupted\n" });
  });

  test("an unreachable database has exit code 2", async () => {
    const unreachable = commandsOn(() => "postgres://nobody@127.0.0.1:1/none");
    expect(await unreachable.run("ledger", "verify")).toMatchObject({ code: 2, out: "" });
  });
});

describe("the replicas' own verification of open months", () => {
  const due = () => sql()`update ledger_checks set next_at = now()`;

  test("runs in one replica at a time, and in another one when that has stopped", async () => {
    await payingAccount(room);
    const steps = await Promise.all([1, 2, 3].map(() => verifyOpenMonths(db(), period)));
    expect(steps.filter((step) => step !== null)).toHaveLength(1);
    const other = openFresh(room.databaseUrl);
    expect(await verifyOpenMonths(other, period)).toBeNull();
    await due();
    expect(await verifyOpenMonths(other, period)).toMatchObject({ period: "2026-04", next: null });
    await other.close();
  });

  test("covers the open month and the one before, and reports its end and what it found", async () => {
    const accountId = await payingAccount(room);
    await sql()`update account_months set used = 0 where account_id = ${accountId}`;
    await sql()`delete from ledger_checks`;
    const periods: string[] = [];
    for (let step = 0; (await findVerified(db())).at === null && step < 20; step++) {
      await due();
      const slice = await verifyOpenMonths(db(), period);
      periods.push(slice?.period ?? "none");
      if (step === 0) {
        expect(await findVerified(db())).toMatchObject({ at: null, drifts: 1 });
      }
    }
    expect([...new Set(periods)]).toEqual([period, "2026-04"]);
    const [row] = await sql()`select count(*)::int as entries from ledger_entries where period = ${period}`;
    expect(await findVerified(db())).toEqual({ at: expect.any(Date), entries: row?.entries, drifts: 1 });
    await json("ledger", "repair", "--yes");
  });
});

test("each step of a verification leads to the next, and every account of a month is in exactly one", async () => {
  // A month with more accounts than one statement reads.
  await sql()`
    insert into ledger_entries (id, account_id, period, kind, amount)
    select 'grant', 'acc_many_' || i, '2026-01', 'grant', 0 from generate_series(1, 23450) as i`;
  const steps = async (scope: Parameters<typeof verifySlices>[1]) => {
    const slices: { entries: number; next: unknown }[] = [];
    for await (const { entries, next } of verifySlices(db(), { periods: ["2026-01"], ...scope })) {
      slices.push({ entries, next });
    }
    return slices;
  };
  const each = await steps({});
  expect(each.reduce((sum, { entries }) => sum + entries, 0)).toBe(23450);
  expect(each.length).toBeGreaterThan(2);
  expect(await steps({ atOnce: 2 }), "two at a time").toEqual(each);
  const from = each[0]?.next as { period: string; after: string };
  expect(await steps({ atOnce: 2, from }), "from where one has ended").toEqual(each.slice(1));
  await sql()`delete from ledger_entries where period = '2026-01'`;
});
