import { describe, expect, test } from "vitest";
import { listCalls } from "@/server/calls";
import { makeCallMonths } from "@/server/calls/call-months";
import { sqlOf } from "@/server/db/handles";
import { listPartitions } from "@/server/db/partitions";
import { callBegunAt, callOf, newAccount, startCallLog } from "@/tests/support/call-log";
import { eventually } from "@/tests/support/eventually";
import { perFile } from "@/tests/support/per-file";
import { until } from "@/tests/support/until";

const DAY_MS = 86_400_000;

const log = perFile(() => startCallLog());

describe("the log of calls", () => {
  test("writes what was recorded by itself, and the rest when it is closed", async () => {
    const { calls } = log.openLog();
    const [first, second] = [callOf(newAccount()), callOf(newAccount())];
    calls.record(first);
    await eventually(() => log.idsOf(first.accountId)).toEqual([first.requestId]);
    calls.record(second);
    await calls.close();
    expect(await log.idsOf(second.accountId)).toEqual([second.requestId]);
  });

  test("keeps one record of a request, whatever is recorded again", async () => {
    const { calls } = log.openLog();
    const call = callOf(newAccount());
    calls.record(call);
    await calls.flush();
    calls.record({ ...call, status: 500 });
    await calls.close();
    expect((await listCalls(log.db, { accountId: call.accountId })).rows).toEqual([call]);
  });

  test("loses a call that no column can hold, and no other", async () => {
    const { calls, unrecorded } = log.openLog();
    const accountId = newAccount();
    const good = Array.from({ length: 20 }, () => callOf(accountId));
    for (const [index, call] of good.entries()) {
      calls.record(call);
      if (index === 7) {
        calls.record(callOf(accountId, { elapsedMs: 2 ** 40 }));
      }
    }
    await calls.flush();
    expect(await log.idsOf(accountId)).toEqual(good.map((call) => call.requestId).reverse());
    expect(await unrecorded()).toBe(1);
    await calls.close();
  });

  test("keeps what the database was not there to take, and writes it later", async () => {
    const { calls, unrecorded } = log.openLog();
    const call = callOf(newAccount());
    let unlock = () => {};
    const untilUnlocked = new Promise<void>((resolve) => {
      unlock = resolve;
    });
    let lock: Promise<unknown> = Promise.resolve();
    await new Promise<void>((resolve) => {
      lock = sqlOf(log.db).begin(async (sql) => {
        await sql`lock table calls in access exclusive mode`;
        resolve();
        await untilUnlocked;
      });
    });
    calls.record(call);
    const flushed = calls.flush();
    await until(async () => {
      const killed = await sqlOf(log.db)`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and query like 'insert into "calls"%' and wait_event_type = 'Lock'`;
      return killed.length > 0;
    });
    await flushed;
    unlock();
    await lock;
    await calls.close();
    expect(await log.idsOf(call.accountId)).toEqual([call.requestId]);
    expect(await unrecorded()).toBe(0);
  });

  test("takes no more than it has room for: the newest are dropped, and counted", async () => {
    const { calls, unrecorded } = log.openLog();
    const accountId = newAccount();
    const all = Array.from({ length: 20_010 }, () => callOf(accountId));
    for (const call of all) {
      calls.record(call);
    }
    await calls.close();
    const [row] = await sqlOf(log.db)`select count(*)::int as count, max(request_id) as newest from calls
      where account_id = ${accountId}`;
    expect(row).toEqual({ count: 20_000, newest: all[19_999]?.requestId });
    expect(await unrecorded()).toBe(10);
  });

  test("drops the months that are over for longer than it goes back, and nothing else", async () => {
    const { calls } = log.openLog(30);
    const accountId = newAccount();
    const begunDaysAgo = (days: number) => callBegunAt(accountId, new Date(Date.now() - days * DAY_MS));
    // Of a month that never had a partition, and of one that has.
    await makeCallMonths(log.db, new Date(Date.now() - 100 * DAY_MS));
    const [older, old, young, now] = [
      begunDaysAgo(300),
      begunDaysAgo(95),
      begunDaysAgo(29),
      callOf(accountId),
    ];
    for (const call of [older, old, young, now]) {
      calls.record(call);
    }
    await calls.flush();
    expect(await log.idsOf(accountId)).toHaveLength(4);
    await calls.keepMonths();
    expect(await log.idsOf(accountId)).toEqual([now?.requestId, young?.requestId]);
    const oldest = new Date(Date.now() - 30 * DAY_MS).toISOString().slice(0, 7);
    expect((await listPartitions(log.db, "calls")).filter((month) => month < oldest)).toEqual([]);
    await calls.close();
  });

  test("a month whose calls came before its partition has them afterwards", async () => {
    const { calls } = log.openLog();
    const accountId = newAccount();
    const startedAt = new Date("2031-05-17T12:00:00Z");
    const early = callBegunAt(accountId, startedAt);
    calls.record(early);
    await calls.flush();
    // By several replicas at once, too.
    await Promise.all([1, 2, 3].map(() => makeCallMonths(log.db, startedAt)));
    const rows = await sqlOf(
      log.db,
    )`select regexp_replace(tableoid::regclass::text, '_\\d{6,}$', '') as partition from calls where account_id = ${accountId}`;
    expect(rows).toEqual([{ partition: "calls_2031_05" }]);
    expect(await log.idsOf(accountId)).toEqual([early?.requestId]);
    await calls.close();
  });
});
