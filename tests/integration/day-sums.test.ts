import postgres, { type Sql } from "postgres";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createAccount } from "@/server/access";
import { nanos } from "@/server/base/money";
import {
  earnedByGroup,
  findRunningOut,
  repairMonth,
  resolveSpan,
  spanBefore,
  spendByDay,
  sumNextDay,
  totalEarned,
  totalUsage,
  usageByGroup,
  usageOverTime,
  verifyLedger,
} from "@/server/billing";
import { type Database, openDatabase, transaction } from "@/server/db";
import { marginGroups, usageGroups, usageRanges } from "@/server/domain/enums";
import type { AccountId } from "@/server/domain/ids";
import { currentPeriod, periodBefore } from "@/server/domain/period";
import { freshDatabase } from "@/tests/support/database";
import { forgetDaySums } from "@/tests/support/day-sums";

const DAYS = 75;
/** Of reads that depend on more than the hour. */
const NOW = new Date();

let sql: Sql;
let db: Database;
const accountIds: AccountId[] = [];

beforeAll(async () => {
  const url = await freshDatabase();
  sql = postgres(url, { max: 1, onnotice: () => {} });
  db = openDatabase(url, { connections: 2 });
});
afterAll(async () => {
  await Promise.all([sql.end(), db.close()]);
});

/** Hours of three accounts in the last months; some of each month's are dated after its end, as late charges are. */
beforeAll(async () => {
  for (const name of ["first", "second", "third"]) {
    accountIds.push((await createAccount(db, { name, monthlyQuotaNanos: nanos(0n) })).id);
  }
  await sql`
    insert into spend_hours
    select (${accountIds}::text[])[i % 3 + 1], to_char(moment - i % 5 * interval '1 hour', 'YYYY-MM'),
      date_trunc('hour', moment), 'key-' || i % 4, 'model-' || i % 2, count(*), sum(i), sum(i * 2), sum(i * 3),
      i % 2, sum(i), sum(i * 2)
    from generate_series(1, 4000) as i,
      lateral (select now() - ${DAYS}::int * interval '1 day' * (i * 7919 % 4000) / 4000 as moment) as drawn
    group by 1, 2, 3, 4, 5, i % 2`;
  await sql`
    insert into cost_hours
    select account_id, period, hour, 'channel-' || shard, model_id, shard, sum(calls), sum(amount), sum(amount) / 2
    from spend_hours group by 1, 2, 3, 5, 6`;
  // One account has begun three days ago.
  await sql`
    insert into spend_hours
    select 'acc_new', period, hour, 'key', 'model', 0, 1, amount, 1, 1, 1, 1 from (
      select period, hour, max(amount) as amount from spend_hours where hour >= now() - interval '3 days' group by 1, 2
    ) as recent`;
  await sql`insert into accounts (id, name, monthly_quota) values ('acc_new', 'new', 0)`;
  await sql`
    insert into account_months (account_id, period, quota)
    select id, month, 10 from accounts,
      (values (to_char(now(), 'YYYY-MM')), (to_char(now() + interval '1 day', 'YYYY-MM')),
        (to_char(now() - interval '1 day', 'YYYY-MM'))) as months (month)
    on conflict do nothing`;
});
beforeEach(async () => {
  await forgetDaySums(sql);
});

async function sumAllDays(timeZone: string): Promise<number> {
  let days = 0;
  for (let summed = 1; summed > 0; days += summed) {
    summed = await sumNextDay(db, timeZone);
  }
  return days;
}

/** Everything that pages read from the sums. */
async function readAll(timeZone: string) {
  const now = new Date();
  const figures: Record<string, unknown> = {};
  for (const range of usageRanges) {
    const span = resolveSpan({ range }, { now, timeZone });
    const scope = { span, before: spanBefore(span, { now, timeZone }), timeZone };
    for (const accountId of [undefined, accountIds[0]]) {
      const whose = `${range} ${accountId ?? "all"}`;
      figures[`${whose} total`] = await totalUsage(db, { ...scope, accountId });
      for (const by of usageGroups) {
        const rows = await usageByGroup(db, { ...scope, accountId, by, limit: 100 });
        const ids = rows.slice(0, 2).map(({ id }) => id);
        figures[`${whose} ${by}`] = [rows, await usageOverTime(db, { ...scope, accountId, by, ids })];
      }
    }
    figures[`${range} earned`] = await totalEarned(db, scope);
    for (const by of marginGroups) {
      figures[`${range} earned ${by}`] = await earnedByGroup(db, { ...scope, by, limit: 100 });
    }
  }
  figures["running out"] = await findRunningOut(db, { now: NOW, timeZone, limit: 100 });
  const period = currentPeriod(timeZone, now);
  for (const month of [period, periodBefore(period)]) {
    figures[month] = [
      await spendByDay(db, { period: month, timeZone }),
      await spendByDay(db, { period: month, timeZone, accountId: accountIds[1] }),
    ];
  }
  return figures;
}

describe("figures are the same from sums of days as from hours", () => {
  test.each(["UTC", "Asia/Shanghai", "America/New_York", "Asia/Kolkata"])("in %s", async (timeZone) => {
    const fromHours = await readAll(timeZone);
    expect(await sumAllDays(timeZone)).toBeGreaterThanOrEqual(DAYS - 1);
    const [summed] = await sql`
      select (select count(*) from spend_days) as days, (select count(*) from spend_totals) as totals`;
    expect(Number(summed?.days)).toBeGreaterThan(0);
    expect(Number(summed?.totals)).toBeGreaterThan(0);
    expect(await readAll(timeZone)).toEqual(fromHours);
  });

  test("after another process has begun to bill in another zone, whose days are other days", async () => {
    await sumAllDays("UTC");
    const zone = "Asia/Shanghai";
    const fromHours = await readAll(zone);
    await sumNextDay(db, zone);
    expect(await readAll(zone)).toEqual(fromHours);
    await sumAllDays(zone);
    expect(await readAll(zone)).toEqual(fromHours);
  });

  test("while days are being summed, by several processes", async () => {
    const fromHours = await readAll("UTC");
    const days = await Promise.all([sumAllDays("UTC"), sumAllDays("UTC")]);
    expect(days[0] + days[1]).toBeGreaterThanOrEqual(DAYS - 1);
    expect(await readAll("UTC")).toEqual(fromHours);
  });
});

test("a day that may still change is not summed", async () => {
  await sumAllDays("UTC");
  const [row] = await sql`
    select until <= now() - interval '2 hours' as is_over, until > now() - interval '26 hours' as is_newest from day_sums`;
  expect(row).toEqual({ is_over: true, is_newest: true });
  expect(await sumNextDay(db, "UTC")).toBe(0);
});

test("a repair of a month corrects the sums of its days, too", async () => {
  await sumAllDays("UTC");
  const [accountId] = accountIds;
  const period = periodBefore(currentPeriod("UTC", new Date()));
  // There are no entries: every hour of the month is wrong.
  const { mended } = await transaction(db, (tx) =>
    repairMonth(tx, { accountId: accountId as AccountId, period }),
  );
  expect(mended.length).toBeGreaterThan(0);
  const repaired = await readAll("UTC");
  await forgetDaySums(sql);
  expect(repaired).toEqual(await readAll("UTC"));
});

test("a verification names days that differ from their hours, and a repair sums them again", async () => {
  await sumAllDays("UTC");
  const accountId = accountIds[1] as AccountId;
  const period = periodBefore(currentPeriod("UTC", new Date()));
  const repair = () => transaction(db, (tx) => repairMonth(tx, { accountId, period }));
  const verify = () => verifyLedger(db, { accountIds: [accountId], periods: [period] });
  // There are no entries: hours and days have no sums then, and agree.
  await repair();
  expect(await verify()).toEqual([]);
  await sql`
    insert into spend_days
    select account_id, ${period}, (select until from day_sums) - interval '5 days', key_id, model_id, 1, 7, 0, 0, 0, 0
    from spend_hours where account_id = ${accountId} limit 1`;
  await sql`
    insert into cost_days
    select account_id, ${period}, (select until from day_sums) - interval '5 days', channel_id, model_id, 1, 7, 3
    from cost_hours where account_id = ${accountId} limit 1`;
  const differing = [
    { accountId, figure: "day_cost", keyId: null, recorded: 3n, recomputed: 0n },
    { accountId, figure: "day_spend", keyId: expect.stringMatching(/^key-/), recorded: 7n, recomputed: 0n },
  ];
  expect(await verify()).toMatchObject(differing);
  expect((await repair()).mended).toMatchObject(differing);
  expect(await verify()).toEqual([]);
});
