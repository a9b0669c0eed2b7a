/** PRUNED_CALLS=1000000: calls of an old month, and as many that came when their month had no partition. */
import { expect, test } from "vitest";
import { keepCallMonths } from "@/server/calls";
import { makeCallMonths } from "@/server/calls/call-months";
import { listPartitions, partitionName, patient } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import { startGateway } from "@/tests/support/gateway";
import { perFile } from "@/tests/support/per-file";
import { startTraffic } from "@/tests/support/traffic";
import { answerWith, startUpstream } from "@/tests/support/upstream";

const CALLS = Number(process.env.PRUNED_CALLS ?? 20_000);
const DAY_MS = 86_400_000;
/** More than the log of calls is kept. */
const before = (days: number) => new Date(Date.now() - days * DAY_MS);
const [WITH_MONTH, WITHOUT] = [before(200), before(400)];
const monthOf = (moment: Date) => moment.toISOString().slice(0, 7);
const AT_ONCE = 100_000;

const upstream = perFile(() => startUpstream(answerWith("hi")));

async function selling() {
  const gateway = await startGateway({ env: { REQUEST_LOG_DAYS: "3650" } });
  const { runtime, url } = gateway;
  const model = await gateway.model();
  await gateway.channel({ model, baseUrl: upstream.baseUrl });
  const { secret, accountId, keyId } = await gateway.customer();
  const sql = sqlOf(runtime.db);
  return {
    ...{ gateway, sql, db: runtime.db },
    /** Makes calls while `act` runs, of which none may fail. */
    during: async (act: () => Promise<void>) => {
      const traffic = startTraffic({ url, secret, model }, 20);
      const beganAt = performance.now();
      await act();
      const tookMs = Math.round(performance.now() - beganAt);
      await traffic.untilWell(performance.now(), { forMs: 300, withinMs: 10_000 });
      const results = await traffic.stop();
      const slowestMs = Math.round(Math.max(...results.map(({ ms }) => ms)));
      process.stdout.write(`${JSON.stringify({ calls: CALLS, tookMs, slowestMs, made: results.length })}\n`);
      expect(results.filter(({ isWhole }) => !isWhole)).toEqual([]);
    },
    /** `table`: the one that gets them. Its autovacuum would have its lock for a second, and a lock is waited for for less. */
    insert: async (at: Date, table: string) => {
      await sql.unsafe(`alter table "${table}" set (autovacuum_enabled = off)`);
      for (let from = 1; from <= CALLS; from += AT_ONCE) {
        await sql`
          insert into calls (
            request_id, account_id, key_id, endpoint, model_id, status, elapsed_ms, address, started_at
          )
          select 'req_' || lpad(to_hex(${at.getTime()}::bigint), 12, '0') || lpad(to_hex(i), 20, '0'),
            ${accountId}::text, ${keyId}::text, 'chat.completions', ${model}::text, 200, i % 5000, '203.0.113.9',
            ${at.toISOString()}::timestamptz
          from generate_series(${from}::int, ${Math.min(from + AT_ONCE - 1, CALLS)}::int) as i`;
      }
    },
    countOld: async () => {
      const [row] = await sql<{ count: number }[]>`
        select count(*)::int from calls where started_at < now() - interval '100 days'`;
      return row?.count;
    },
  };
}

test("many old calls are dropped while calls are made, with their month or without one, and no call fails", async () => {
  const { gateway, db, during, insert, countOld } = await selling();
  await makeCallMonths(db, WITH_MONTH);
  await insert(WITH_MONTH, partitionName({ table: "calls", month: monthOf(WITH_MONTH) }));
  await insert(WITHOUT, "calls_rest");
  expect(await countOld()).toBe(2 * CALLS);
  await during(() => keepCallMonths(db, { now: new Date(), keepDays: 90 }));
  expect(await countOld()).toBe(0);
  const oldest = monthOf(before(91));
  expect((await listPartitions(db, "calls")).filter((month) => month < oldest)).toEqual([]);
  await gateway.close();
});

test("a server makes the months ahead although too many rows wait for one, and a patient command moves those, while calls are made", async () => {
  const { gateway, db, sql, during, insert, countOld } = await selling();
  await insert(WITHOUT, "calls_rest");
  const month = monthOf(WITHOUT);
  const making = makeCallMonths(db, WITHOUT, { mostRows: CALLS - 1 });
  await expect(making).rejects.toThrow(`rows of ${month} wait in calls_rest: \`migrate\` moves them`);
  const made = await listPartitions(db, "calls");
  const next = [1, 2].map((after) =>
    monthOf(new Date(Date.UTC(WITHOUT.getUTCFullYear(), WITHOUT.getUTCMonth() + after))),
  );
  expect(made.slice(0, 2)).toEqual(next);
  await during(() => makeCallMonths(patient(db), WITHOUT, { mostRows: CALLS }));
  const [rest] = await sql`select count(*)::int from calls_rest`;
  expect([rest?.count, await countOld(), (await listPartitions(db, "calls"))[0]]).toEqual([0, CALLS, month]);
  await gateway.close();
});
