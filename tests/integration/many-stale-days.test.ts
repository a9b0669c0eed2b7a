/** More sums of days differ than are shown: nothing is charged by them, and they hide no money that differs. */
import { beforeEach, expect, test } from "vitest";
import { verifyLedger } from "@/server/billing";
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

const [SHOWN, OLDER] = [1_000, 600];
let accountId: AccountId;

/** Sums of one day by as many models, of which the hours know nothing. */
const strayDays = (period: string, count: number) => sql()`
  insert into spend_days
  select ${accountId}, ${period}, ${`${period}-03`}::timestamptz, 'key', 'model-' || i, 1, 7, 0, 0, 0, 0
  from generate_series(1, ${count}::int) as i`;

beforeEach(async () => {
  await forgetDaySums(sql());
  accountId = await payingAccount(room);
  await sql()`insert into day_sums (name, time_zone, until) values ('days', 'UTC', '2026-05-10')`;
  await strayDays("2026-05", SHOWN);
  await strayDays("2026-04", OLDER);
  await sql()`
    insert into account_months (account_id, period, quota) values (${accountId}, '2026-04', 5)`;
});

const own = () => ["--account", accountId];
/** Each figure with the number of its rows, in the order of their first ones. */
function numbersOf(rows: { figure: string }[]): [string, number][] {
  const numbers = new Map<string, number>();
  for (const { figure } of rows) {
    numbers.set(figure, (numbers.get(figure) ?? 0) + 1);
  }
  return [...numbers];
}
const LEFT_OUT = `not shown: ${OLDER} more differences`;

test("a verification reads on, shows money first, and says how many sums of days it leaves out", async () => {
  const { code, out, err } = await run("ledger", "verify", ...own(), "--json");
  expect({ code, err }).toEqual({ code: 1, err: `the ledger has drifted; ${LEFT_OUT}\n` });
  const numbers = [
    ["quota", 1],
    ["day_spend", SHOWN],
  ];
  expect(numbersOf(JSON.parse(out))).toEqual(numbers);
  expect(numbersOf(await verifyLedger(room.ledger.db, { accountIds: [accountId] }))).toEqual(numbers);
});

test("a repair corrects also what it does not show", async () => {
  const shown = await run("ledger", "repair", ...own());
  expect(shown).toMatchObject({
    code: 0,
    err: `nothing was changed; correct these with --yes; ${LEFT_OUT}\n`,
  });
  const { code, err } = await run("ledger", "repair", ...own(), "--yes");
  expect({ code, err }).toEqual({ code: 0, err: `corrected; ${LEFT_OUT}\n` });
  expect(await json("ledger", "verify", ...own())).toEqual({ ok: true, drift: [] });
});

test("a thousand differences of money end a verification, which says where to continue", async () => {
  await sql()`
    insert into key_months (account_id, period, key_id, used, frozen)
    select ${accountId}, '2026-05', 'key_' || i, 5, 0 from generate_series(1, ${SHOWN}::int) as i`;
  const { code, out, err } = await run("ledger", "verify", ...own(), "--json");
  expect({ code, err }).toEqual({
    code: 1,
    err: "the ledger has drifted; not shown: 1000 more differences, and the check is incomplete: too many differences to show; continue with --from 2026-04:\n",
  });
  expect(numbersOf(JSON.parse(out))).toEqual([["key_used", SHOWN]]);
});
