import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { type AttemptRecord, listAttempts, listCalls, reportChannel } from "@/server/calls";
import { makeCallMonths } from "@/server/calls/call-months";
import { sqlOf } from "@/server/db/handles";
import { listPartitions } from "@/server/db/partitions";
import type { ChannelId } from "@/server/domain/ids";
import { branded } from "@/tests/support/branded";
import { callBegunAt, callOf, newAccount, startCallLog } from "@/tests/support/call-log";
import { eventually } from "@/tests/support/eventually";
import { gate } from "@/tests/support/gate";
import { perFile } from "@/tests/support/per-file";
import { until } from "@/tests/support/until";

const DAY_MS = 86_400_000;

const log = perFile(() => startCallLog());

describe("the log of calls", () => {
  test("writes recorded calls on its own, and the rest when it closes", async () => {
    const { calls } = log.openLog();
    const [first, second] = [callOf(newAccount()), callOf(newAccount())];
    calls.record(first);
    await eventually(() => log.idsOf(first.accountId)).toEqual([first.requestId]);
    calls.record(second);
    await calls.close();
    expect(await log.idsOf(second.accountId)).toEqual([second.requestId]);
  });

  test("keeps the first record of a request when it is recorded again", async () => {
    const { calls } = log.openLog();
    const call = callOf(newAccount());
    calls.record(call);
    await calls.flush();
    calls.record({ ...call, status: 500 });
    await calls.close();
    expect((await listCalls(log.db, { accountId: call.accountId })).rows).toEqual([call]);
  });

  test("drops a call whose values fit no column, and no other", async () => {
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

  test("keeps calls while the database fails, and writes them later", async () => {
    const { calls, unrecorded } = log.openLog();
    const call = callOf(newAccount());
    const [locked, free] = [gate(), gate()];
    const lock = sqlOf(log.db).begin(async (sql) => {
      await sql`lock table calls in access exclusive mode`;
      locked.open();
      await free.opened;
    });
    await locked.opened;
    calls.record(call);
    const flushed = calls.flush();
    await until(async () => {
      const killed = await sqlOf(log.db)`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and query ~ '^\\s*insert into calls' and wait_event_type = 'Lock'`;
      return killed.length > 0;
    });
    await flushed;
    free.open();
    await lock;
    await calls.close();
    expect(await log.idsOf(call.accountId)).toEqual([call.requestId]);
    expect(await unrecorded()).toBe(0);
  });

  test("drops and counts the newest calls when its queue is full", async () => {
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

  test("drops months older than its retention, and nothing else", async () => {
    const { calls } = log.openLog(30);
    const accountId = newAccount();
    const begunDaysAgo = (days: number) => callBegunAt(accountId, new Date(Date.now() - days * DAY_MS));
    // Calls of a month that never had a partition, and of one that has a partition.
    await makeCallMonths(log.db, new Date(Date.now() - 100 * DAY_MS));
    const [older, old, young] = [begunDaysAgo(300), begunDaysAgo(95), begunDaysAgo(29)];
    const now = callOf(accountId);
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

  test("moves the calls of a month into its partition when that is made later", async () => {
    const { calls } = log.openLog();
    const accountId = newAccount();
    const startedAt = new Date("2031-05-17T12:00:00Z");
    const early = callBegunAt(accountId, startedAt);
    calls.record(early);
    await calls.flush();
    // Several replicas may do it at once.
    await Promise.all([1, 2, 3].map(() => makeCallMonths(log.db, startedAt)));
    const rows = await sqlOf(
      log.db,
    )`select regexp_replace(tableoid::regclass::text, '_\\d{6,}$', '') as partition from calls where account_id = ${accountId}`;
    expect(rows).toEqual([{ partition: "calls_2031_05" }]);
    expect(await log.idsOf(accountId)).toEqual([early?.requestId]);
    await calls.close();
  });
});

const attemptOf = (change: Partial<AttemptRecord> = {}): AttemptRecord => ({
  ...{ channelId: branded("chn_report"), channelVersion: "1", operation: "chat", credential: "0001" },
  ...{ modelId: "m", beganAt: new Date(), status: 200, outcome: "ok", headMs: 10, firstMs: null },
  ...{ elapsedMs: 20, words: null, vendorError: null },
  ...change,
});

describe("the attempts of calls", () => {
  test("are stored with their call, in order, and visible to its account alone", async () => {
    const { calls } = log.openLog();
    const call = callOf(newAccount());
    const attempts = [
      attemptOf({ outcome: "refused", status: 429, words: "…rate limit…\u0000" }),
      attemptOf({ channelId: branded("chn_2"), firstMs: 12 }),
    ];
    const others = [callOf(call.accountId), callOf(call.accountId)] as const;
    calls.record(call, attempts);
    calls.record({ ...call, status: 500 }, attempts);
    calls.record(others[0], [attemptOf()]);
    await calls.flush();
    // The answer to a batch was lost: it is written again, with a call that is new.
    for (const repeated of [call, ...others]) {
      calls.record(repeated, repeated === call ? attempts : [attemptOf()]);
    }
    await calls.close();
    for (const other of others) {
      expect(await listAttempts(log.db, other)).toHaveLength(1);
    }
    const kept = [{ ...attempts[0], words: "…rate limit…" }, attempts[1]];
    expect(await listAttempts(log.db, call)).toEqual(kept);
    expect(await listAttempts(log.db, { ...call, accountId: newAccount() })).toEqual([]);
  });

  test("give a channel's report: calls that clients ended count neither way, and the channel fails since the first fault after its last success", async () => {
    const { calls } = log.openLog();
    const channelId = branded<ChannelId>(`chn_${randomUUID()}`);
    const until = new Date();
    const minutesAgo = (minutes: number) => new Date(until.getTime() - minutes * 60_000);
    const accounts = [newAccount(), newAccount()] as const;
    const tries: [number, 0 | 1, Partial<AttemptRecord>][] = [
      [55, 0, { elapsedMs: 100 }],
      [52, 0, { outcome: "refused", status: 503, words: "…overloaded" }],
      [45, 1, { elapsedMs: 300, firstMs: 30 }],
      [40, 1, { outcome: "abandoned", status: null }],
      [30, 0, { outcome: "refused", status: 503, words: "…overloaded" }],
      [20, 0, { outcome: "timeout", status: null, words: "no answer within 1000 ms" }],
      [10, 1, { outcome: "rejected", status: 400 }],
    ];
    for (const [minutes, whose, change] of tries) {
      const beganAt = minutesAgo(minutes);
      const call = callBegunAt(accounts[whose], beganAt);
      calls.record(call, [attemptOf({ channelId, beganAt, ...change })]);
    }
    await calls.close();
    const report = await reportChannel(log.db, { channelId, from: minutesAgo(60), until, parts: 6 });
    expect(report).toMatchObject({
      ...{ attempts: 7, ok: 2, failed: 3, isPartial: false },
      ...{ elapsedMs: { p50: 100, p95: 300 }, firstMs: { p50: 30, p95: 30 }, lastOkAt: minutesAgo(45) },
      failingSince: minutesAgo(30),
      parts: [
        { ok: 1, failed: 1 },
        { ok: 1, failed: 0 },
        { ok: 0, failed: 0 },
        { ok: 0, failed: 1 },
        { ok: 0, failed: 1 },
        { ok: 0, failed: 0 },
      ],
      faults: [
        { outcome: "refused", status: 503, words: "…overloaded", count: 2 },
        { outcome: "timeout", status: null, count: 1 },
      ],
      accounts: [{ accountId: accounts[0], attempts: 4, failed: 3 }],
    });
    const nothing = await reportChannel(log.db, { channelId, from: minutesAgo(5), until, parts: 1 });
    expect(nothing).toMatchObject({ attempts: 0, elapsedMs: null, failingSince: null, parts: [{ ok: 0 }] });
  });
});
