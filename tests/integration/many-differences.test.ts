/** More figures differ than one step of a verification lists: it says how many it leaves out, and a repair corrects all. */
import { expect, test } from "vitest";
import { listChanges } from "@/server/audit";
import { sqlOf } from "@/server/db/handles";
import type { AccountId } from "@/server/domain/ids";
import { openBillingRoom } from "@/tests/support/billing-room";
import { commandsOn } from "@/tests/support/command";
import { forgetDaySums } from "@/tests/support/day-sums";
import { payingAccount } from "@/tests/support/paying-account";
import { perFile } from "@/tests/support/per-file";

const room = perFile(() => openBillingRoom({ leaseSeconds: 5 }));
const sql = () => sqlOf(room.ledger.db);
const { run, json } = commandsOn(() => room.databaseUrl);

const [MAY, APRIL] = ["2026-05", "2026-04"];
const RIGHT = { ok: true, drift: [] };

const strayDays = (accountId: AccountId, count: number) => sql()`
  insert into spend_days
  select ${accountId}, ${MAY}, ${`${MAY}-03`}::timestamptz, 'key', 'model-' || i, 1, 7, 0, 0, 0, 0
  from generate_series(1, ${count}::int) as i`;
const strayKeys = (accountId: AccountId, period: string, count: number) => sql()`
  insert into key_months (account_id, period, key_id, used, frozen)
  select ${accountId}, ${period}, 'key_' || i, 5, 0 from generate_series(1, ${count}::int) as i`;
/** Hours of as many models that no charge has. */
const strayHours = (accountId: AccountId, count: number) => sql()`
  insert into spend_hours (account_id, period, hour, key_id, model_id, shard, calls, amount, input_tokens, output_tokens)
  select ${accountId}, ${MAY}, ${`${MAY}-03`}::timestamptz, 'key', 'model-' || i, 0, 1, 7, 0, 0
  from generate_series(1, ${count}::int) as i`;
const spendMore = (accountId: AccountId | undefined) => sql()`
  update account_months set used = used + 3 where account_id = ${accountId ?? ""} and period = ${MAY}`;

async function verify(...flags: string[]) {
  const { code, out, err } = await run("ledger", "verify", ...flags, "--json");
  return { code, err, rows: (JSON.parse(out) as unknown[]).length };
}
const numberOfRepairs = async (accountId: AccountId | undefined) => {
  const { rows } = await listChanges(room.ledger.db, {}, { limit: 100 });
  return rows.filter((row) => row.action === "ledger.repair" && row.accountId === accountId).length;
};
const newAccounts = async () =>
  (await Promise.all([payingAccount(room), payingAccount(room), payingAccount(room)])).sort();

test("days of several accounts: a repair corrects also the accounts that its check leaves out", async () => {
  await forgetDaySums(sql());
  await sql()`insert into day_sums (name, time_zone, until) values ('days', 'UTC', '2026-05-10')`;
  for (const accountId of await newAccounts()) {
    await strayDays(accountId, 700);
  }
  const leftOut = "not shown: 1100 more differences";
  expect(await verify()).toEqual({ code: 1, err: `the ledger has drifted; ${leftOut}\n`, rows: 1_000 });
  const repaired = await run("ledger", "repair", "--yes");
  expect(repaired).toMatchObject({ code: 0, err: expect.stringContaining(`corrected; ${leftOut}\n`) });
  expect(await json("ledger", "verify")).toEqual(RIGHT);
});

test("money: a last step that is full is incomplete, and a repair corrects more of an account than a step lists", async () => {
  const [first, second, third] = await newAccounts();
  await strayKeys(first as AccountId, MAY, 600);
  await strayKeys(second as AccountId, MAY, 2_100);
  await spendMore(third);
  const leftOut = "not shown: 1701 more differences";
  expect(await verify("--month", MAY)).toEqual({
    ...{ code: 1, err: `the ledger has drifted; ${leftOut}\n`, rows: 1_000 },
  });
  const { code, err, out } = await run("ledger", "repair", "--month", MAY, "--yes", "--json");
  expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining(`corrected; ${leftOut}\n`) });
  expect(JSON.parse(out)).toHaveLength(1_000);
  expect(await json("ledger", "verify", "--month", MAY)).toEqual(RIGHT);
  expect(await numberOfRepairs(second), "of a thousand differences each").toBe(3);
  expect(await numberOfRepairs(third)).toBe(1);
});

test("money: a repair goes on after a full step", async () => {
  const [first, , third] = await newAccounts();
  await strayKeys(first as AccountId, MAY, 1_000);
  await strayKeys(third as AccountId, APRIL, 1);
  expect((await verify()).err).toContain("the check is incomplete: too many differences to show");
  expect(await run("ledger", "repair", "--yes")).toMatchObject({ code: 0 });
  expect(await json("ledger", "verify")).toEqual(RIGHT);
});

test("differences that cannot be corrected hide no sum that can, and a repair ends with exit code 1", async () => {
  const [first, , third] = await newAccounts();
  await strayHours(first as AccountId, 1_200);
  await spendMore(first);
  await spendMore(third);
  const [closing] = await sql()`
    insert into ledger_closings (number, period, entries, sums, digest, archived_at)
    values (1, ${MAY}, 0, '', '', now()) returning number`;
  // The month's sums are those of its entries, which stay here.
  const { code, err, out } = await run("ledger", "repair", "--month", MAY, "--yes", "--json");
  expect({ code, err }).toMatchObject({
    ...{ code: 1, err: expect.stringContaining("not shown: 200 more differences") },
  });
  const figures = (JSON.parse(out) as { figure: string }[]).map(({ figure }) => figure);
  expect([...new Set(figures)]).toEqual(["spend"]);
  expect(await numberOfRepairs(third)).toBe(1);
  await sql()`delete from ledger_closings where number = ${closing?.number}`;
  expect(await run("ledger", "repair", "--yes")).toMatchObject({ code: 0 });
  expect(await json("ledger", "verify")).toEqual(RIGHT);
});
