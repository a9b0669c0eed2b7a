import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { ChannelId } from "@/server/base/ids";
import { type AttemptRecord, listAttempts, reportChannel } from "@/server/calls";
import { callBegunAt, callOf, newAccount, startCallLog } from "@/tests/support/call-log";
import { madeUp } from "@/tests/support/made-up";
import { perFile } from "@/tests/support/per-file";

const _DAY_MS = 86_400_000;

const log = perFile(() => startCallLog());

const attemptOf = (change: Partial<AttemptRecord> = {}): AttemptRecord => ({
  channelId: madeUp("chn_report"),
  channelVersion: "1",
  operation: "chat",
  credential: "0001",
  modelId: "m",
  beganAt: new Date(),
  status: 200,
  outcome: "ok",
  headMs: 10,
  firstMs: null,
  elapsedMs: 20,
  words: null,
  ...change,
});

describe("the attempts of calls", () => {
  test("are kept with their call, in order, and belong to its account alone", async () => {
    const { calls } = log.openLog();
    const call = callOf(newAccount());
    const attempts = [
      attemptOf({ outcome: "refused", status: 429, words: "…rate limit…\u0000" }),
      attemptOf({ channelId: madeUp("chn_2"), firstMs: 12 }),
    ];
    calls.record(call, attempts);
    calls.record({ ...call, status: 500 }, attempts);
    await calls.close();
    const kept = [{ ...attempts[0], words: "…rate limit…" }, attempts[1]];
    expect(await listAttempts(log.db, call)).toEqual(kept);
    expect(await listAttempts(log.db, { ...call, accountId: newAccount() })).toEqual([]);
  });

  test("say how a channel did: what clients ended counts neither way, and it fails since its last success", async () => {
    const { calls } = log.openLog();
    const channelId = madeUp<ChannelId>(`chn_${randomUUID()}`);
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
      elapsedMs: { p50: 100, p95: 300 },
      firstMs: { p50: 30, p95: 30 },
      lastOkAt: minutesAgo(45),
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
