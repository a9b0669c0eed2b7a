import postgres, { type Sql } from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAccount } from "@/server/access";
import { nanos } from "@/server/base/money";
import {
  earnedByGroup,
  resolveSpan,
  spanBefore,
  spendByDay,
  sumNextDay,
  totalEarned,
  totalUsage,
  usageByGroup,
  usageOverTime,
} from "@/server/billing";
import { type Database, openDatabase } from "@/server/db";
import { currentPeriod } from "@/server/domain/period";
import { freshDatabase } from "@/tests/support/database";
import { countRowsRead, type SqlStatement } from "@/tests/support/rows-read";

/** Ninety days of hours, of one account with as many as all others, and of 50 keys with one of five models each. */
const DAYS = 90;
const HOURS_A_DAY = 1_000;
const KEYS = 50;
const MODELS = 5;
const timeZone = "Asia/Shanghai";

let statements: SqlStatement[] = [];
let sql: Sql;
let db: Database;
let accountId: Awaited<ReturnType<typeof createAccount>>["id"];

beforeAll(async () => {
  const url = await freshDatabase();
  sql = postgres(url, { max: 1, onnotice: () => {}, connection: { synchronous_commit: "off" } });
  db = openDatabase(url, {
    connections: 1,
    onStatement: (text, parameters) => void statements.push({ text, parameters }),
  });
  accountId = (await createAccount(db, { name: "half", monthlyQuotaNanos: nanos(0n) })).id;
  await sql`
    insert into spend_hours
    select case when i % 2 = 0 then ${accountId} else 'acc_' || i % 100 end, to_char(moment at time zone ${timeZone}, 'YYYY-MM'),
      date_trunc('hour', moment), 'key-' || i % ${KEYS}::int, 'model-' || i % ${MODELS}::int, 1, i, i, i, i % 64, i, i
    from generate_series(1, ${DAYS * HOURS_A_DAY}::int) as i,
      lateral (select now() - i * interval '1 day' / ${HOURS_A_DAY}::int as moment) as moments
    on conflict do nothing`;
  await sql`
    insert into cost_hours
    select account_id, period, hour, 'channel-' || shard % 3, model_id, shard, sum(calls), sum(amount), sum(amount)
    from spend_hours group by 1, 2, 3, 4, 5, 6`;
  await sql`vacuum analyze`;
  while ((await sumNextDay(db, timeZone)) > 0) {}
  await sql`vacuum analyze`;
}, 300_000);
afterAll(async () => {
  await Promise.all([sql.end(), db.close()]);
});

async function rowsReadBy(query: () => Promise<unknown>): Promise<Map<string, number>> {
  statements = [];
  await query();
  const asked = statements;
  statements = [];
  return await countRowsRead(sql, asked);
}

const scope = () => {
  const now = new Date();
  const span = resolveSpan({ range: "month" }, { now, timeZone });
  return { span, before: spanBefore(span, { now, timeZone }), timeZone };
};

/** Of each span: not summed yet, or cut off. Parts of two days, and the hours after a day in which it may change. */
const HOURS_READ = 2.2 * HOURS_A_DAY;
/** Two months, one of which may have begun just now. */
const MOST_DAYS = 62;

describe("a month's figures are read from sums, and not from its hours", () => {
  const read: Record<string, () => Promise<unknown>> = {
    "the total of all accounts": () => totalUsage(db, scope()),
    "all accounts by model": () => usageByGroup(db, { ...scope(), by: "model", limit: 100 }),
    "all accounts by account": () => usageByGroup(db, { ...scope(), by: "account", limit: 100 }),
    "all accounts over time": () => usageOverTime(db, { ...scope(), by: "model", ids: [] }),
    "all accounts by day": () => spendByDay(db, { period: currentPeriod(timeZone, new Date()), timeZone }),
    "all earnings": () => totalEarned(db, scope()),
    "earnings by channel": () => earnedByGroup(db, { ...scope(), by: "channel", limit: 100 }),
    "earnings by account": () => earnedByGroup(db, { ...scope(), by: "account", limit: 100 }),
  };
  test.each(Object.keys(read))("%s", async (name) => {
    const rows = await rowsReadBy(read[name] ?? (async () => {}));
    const hours = (rows.get("spend_hours") ?? 0) + (rows.get("cost_hours") ?? 0);
    expect(rows.size).toBeGreaterThan(0);
    expect(hours).toBeLessThan(HOURS_READ);
  });

  const ofAccount: Record<string, () => Promise<unknown>> = {
    "an account's total": () => totalUsage(db, { ...scope(), accountId }),
    "an account by key and model": () =>
      usageByGroup(db, { ...scope(), accountId, by: "key_model", limit: 100 }),
    "an account over time": () => usageOverTime(db, { ...scope(), accountId, by: "key", ids: [] }),
  };
  test.each(Object.keys(ofAccount))("%s, of which no other account's sums are read", async (name) => {
    const rows = await rowsReadBy(ofAccount[name] ?? (async () => {}));
    expect(rows.get("spend_hours")).toBeLessThan(HOURS_READ / 2);
    expect(rows.get("spend_days")).toBeLessThanOrEqual(MOST_DAYS * KEYS);
  });
});
