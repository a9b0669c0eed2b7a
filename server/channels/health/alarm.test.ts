import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyHistory, cutOff, down, refused, TestChannel } from "@/tests/support/channel-health";
import { type Alarm, judge, nextStep, type Verdict } from "./alarm";
import { OPEN_MS } from "./breaker";
import type { AttemptEvent } from "./events";

const MINUTE_MS = 60_000;
const LOOK_EVERY_MS = 15_000;

/** A channel that an alarm watches. */
class WatchedChannel extends TestChannel {
  alarm: Alarm | null = null;
  steps: string[] = [];

  get verdict(): Verdict {
    return judge(this.state, "7", { now: this.now, toEpoch: (ms) => ms });
  }

  attempts(count: number, outcome: AttemptEvent["outcome"], accountId = "a"): this {
    for (let index = 0; index < count; index++) {
      this.attempt({ outcome, accountId });
    }
    return this;
  }

  look(): void {
    const now = new Date(this.now);
    const step = nextStep(this.verdict, this.alarm, now);
    this.steps.push(...(step ? [step] : []));
    if (step === "opened") {
      this.alarm = { since: now, wellSince: null };
    } else if (step === "closed" || step === "expired") {
      this.alarm = null;
    } else if (step !== null) {
      this.alarm = { since: this.alarm?.since ?? now, wellSince: step === "recovering" ? now : null };
    }
  }

  /** Lets time pass, with a look every quarter of a minute. */
  pass(ms: number): this {
    for (const until = this.now + ms; this.now < until; this.look()) {
      this.now += Math.min(LOOK_EVERY_MS, until - this.now);
    }
    return this;
  }
}

const watchedChannel = () => new WatchedChannel();

describe("an alarm's counts of a channel's attempts", () => {
  test("have successes and faults that count against the channel, of all accounts, with the time of the first fault after a success", () => {
    const channel = watchedChannel().attempts(3, "ok", "b");
    channel.now += 1_000;
    const since = channel.now;
    channel.attempts(6, down);
    channel.now += 1_000;
    const last = { ...down, reason: "unreachable" as const, status: null };
    expect(channel.attempts(6, last).verdict).toMatchObject({
      ...{ attempts: 15, failed: 12, accounts: 1, since: new Date(since), status: null, isUntried: false },
    });
  });

  test.each<[string, AttemptEvent["outcome"]]>([
    ["rejected", "rejected"],
    ["abandoned", "abandoned"],
    ["busy", { ...down, reason: "busy", status: null }],
    ["ours", { ...down, reason: "ours", status: null }],
    ["unusable", { ...down, reason: "unusable", status: 200 }],
    ["404", refused(404)],
  ])("leave out attempts that count against no channel: %s", (_, outcome) => {
    const { verdict } = watchedChannel().attempts(6, outcome).attempts(6, outcome, "b");
    expect(verdict).toMatchObject({ attempts: 0, failed: 0, isUntried: false });
  });

  test.each<[string, AttemptEvent["outcome"]]>([
    ["403", refused(403)],
    ["429", refused(429)],
    ["500", refused(500)],
    ["a timeout", { ...cutOff, reason: "timeout", status: null }],
    ["a broken answer", cutOff],
  ])(
    "have faults that the request may have caused if two accounts met them, or if the account also had successes: %s",
    (_, fault) => {
      expect(watchedChannel().attempts(6, fault).attempts(4, "ok", "b").verdict).toMatchObject({
        attempts: 4,
        failed: 0,
      });
      expect(watchedChannel().attempts(6, fault).attempts(4, "ok").verdict).toMatchObject({
        attempts: 10,
        failed: 6,
      });
      const { verdict } = watchedChannel().attempts(6, fault).attempts(6, fault, "b").attempts(1, "ok", "c");
      expect(verdict).toMatchObject({ failed: 12, accounts: 2 });
    },
  );

  test("have attempts without an answer as faults if several accounts' clients left and the channel answers no one", () => {
    const channel = watchedChannel().attempts(6, "unanswered").attempts(6, "unanswered", "b");
    expect(channel.verdict).toMatchObject({ attempts: 12, failed: 12, accounts: 2 });
    expect(channel.attempts(1, "ok").verdict).toMatchObject({ attempts: 1, failed: 0 });
    const alone = watchedChannel().attempts(6, "unanswered").attempts(6, "rejected", "b");
    expect(alone.verdict).toMatchObject({ failed: 0 });
  });

  test("have streams that broke off after a good beginning as faults alone, also minutes later", () => {
    const channel = watchedChannel().attempts(2, "ok");
    channel.now += MINUTE_MS;
    channel.attempt({ kind: "streamEnd", outcome: cutOff, isCounted: false });
    channel.attempt({ kind: "streamEnd", outcome: "ok", isCounted: false });
    expect(channel.verdict).toMatchObject({ attempts: 2, failed: 1 });
  });

  test("have nothing older than ten minutes, although the channel counts as tried", () => {
    const channel = watchedChannel().attempts(6, down).attempts(6, "ok");
    channel.now += 10 * MINUTE_MS + LOOK_EVERY_MS;
    expect(channel.verdict).toMatchObject({ attempts: 0, isUntried: false, openForMs: null });
    expect(watchedChannel().verdict).toMatchObject({ attempts: 0, isUntried: true });
  });

  test("have the newest thousand faults, and the successes since the oldest of them", () => {
    const channel = watchedChannel().attempts(900, "ok");
    channel.now += MINUTE_MS;
    channel.attempts(1_500, down).attempts(100, "ok");
    expect(channel.verdict).toMatchObject({
      attempts: 1_100,
      failed: 1_000,
      countedFrom: new Date(channel.now),
    });
    expect(channel.state.outcomes.faults).toHaveLength(1_000);
  });
});

const verdict = (attempts: number, failed: number): Verdict => ({
  ...{ attempts, failed, accounts: 1, since: new Date(0), status: 503, isUntried: false },
  ...{ countedFrom: new Date(0), openForMs: null },
});
const at = (minute: number) => new Date(minute * MINUTE_MS);

test.each([
  [5, 5, "opened"],
  [10, 5, "opened"],
  [2_000, 1_000, "opened"],
  [0, 0, null],
  [4, 4, null],
  [11, 5, null],
  [2_000, 999, null],
])("the alarm after %i attempts with %i faults at a healthy channel: %s", (attempts, failed, step) => {
  expect(nextStep(verdict(attempts, failed), null, at(0))).toBe(step);
});

describe("a channel with an alarm", () => {
  const failing = { since: at(0), wellSince: null };
  const calm = { since: at(0), wellSince: at(10) };

  test.each([
    [0, 0],
    [1, 1],
    [9, 1],
    [100, 11],
  ])("keeps it after %i attempts with %i faults", (attempts, failed) => {
    expect(nextStep(verdict(attempts, failed), failing, at(10))).toBeNull();
  });

  test.each([
    [1, 0],
    [10, 1],
    [2_000, 200],
  ])("loses it after two healthy minutes: %i attempts with %i faults", (attempts, failed) => {
    const health = verdict(attempts, failed);
    expect(nextStep(health, failing, at(10))).toBe("recovering");
    expect(nextStep(health, calm, at(11))).toBeNull();
    expect(nextStep(health, calm, at(12))).toBe("closed");
  });

  test("waits again if it fails meanwhile, and keeps its state while it is not tried", () => {
    expect(nextStep(verdict(10, 2), calm, at(12))).toBe("relapsed");
    expect(nextStep({ ...verdict(10, 0), openForMs: 1 }, calm, at(12))).toBe("relapsed");
    expect(nextStep(verdict(0, 0), calm, at(12))).toBeNull();
  });

  test("loses it if it gets no call for an hour", () => {
    expect(nextStep({ ...verdict(0, 0), isUntried: true }, failing, at(90))).toBe("expired");
  });
});

test("a breaker that stays open raises the alarm within minutes, however many calls succeeded before", () => {
  const channel = watchedChannel().attempts(2_000, "ok").attempts(5, down);
  for (let probe = 0; probe < 7; probe++) {
    channel.pass(OPEN_MS);
    channel.begin("a")?.end(down);
  }
  expect(channel.steps).toEqual(["opened"]);
  channel.pass(OPEN_MS);
  channel.begin("a")?.end("ok");
  expect(channel.pass(MINUTE_MS).steps).toEqual(["opened", "recovering"]);
  expect(channel.pass(2 * MINUTE_MS).steps).toEqual(["opened", "recovering", "closed"]);
});

test("a fault that opens the breaker for less than a minute raises no alarm", () => {
  const channel = watchedChannel().attempts(100, "ok").attempts(5, down);
  channel.pass(OPEN_MS).begin("a")?.end("ok");
  expect(channel.pass(5 * MINUTE_MS).steps).toEqual([]);
});

test("a long probe raises an alarm only if no other call is answered meanwhile", () => {
  const answering = watchedChannel().attempts(100, "ok").attempts(5, down).pass(OPEN_MS);
  const silent = watchedChannel().attempts(100, "ok").attempts(5, down).pass(OPEN_MS);
  const probes = [answering.begin("a"), silent.begin("a")];
  for (let quarter = 0; quarter < 8; quarter++) {
    answering.attempt({ outcome: "ok", isCounted: false });
    answering.pass(LOOK_EVERY_MS);
    silent.pass(LOOK_EVERY_MS);
  }
  expect(answering.steps).toEqual([]);
  expect(silent.steps).toEqual(["opened"]);
  for (const probe of probes) {
    probe?.end(down);
  }
  answering.look();
  expect(answering.steps).toEqual(["opened"]);
});

test("a breaker that has been open for a minute has an alarm, after any history", () => {
  fc.assert(
    fc.property(anyHistory, (history) => {
      const channel = watchedChannel();
      for (const { afterMs, ...attempt } of history) {
        channel.pass(afterMs);
        channel.attempt(attempt);
        const { openSince } = channel.health.breaker;
        const steps = channel.steps.length;
        channel.look();
        if (channel.view.state === "open") {
          expect(channel.steps.slice(steps)).not.toContain("closed");
          expect(channel.alarm?.wellSince ?? null).toBeNull();
          expect(channel.alarm !== null || channel.now - (openSince ?? 0) < MINUTE_MS).toBe(true);
        }
      }
    }),
    { numRuns: 200 },
  );
});
