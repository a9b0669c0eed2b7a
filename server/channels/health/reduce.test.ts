import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  anyAccount,
  anyAttempt,
  anyHistory,
  anyOutcome,
  channel,
  cutOff,
  down,
  proxied,
  refused,
  replay,
  TestChannel,
} from "@/tests/support/channel-health";
import { FAULTS_TO_OPEN, OPEN_MS } from "./breaker";
import { type AttemptEvent, NO_PROBE } from "./events";
import { admissionOf, credentialRests, opensIn, reduce } from "./reduce";

const RUNS = 300;

describe("after any history of a channel", () => {
  test("the same events in the same order give the same state and transitions, from each state on the way", () => {
    fc.assert(
      fc.property(anyHistory, anyHistory, (earlier, later) => {
        const first = replay(earlier);
        const copy = Object.assign(new TestChannel(), { ...first, transitions: [...first.transitions] });
        // The reducer leaves the state as it was: the copy shares it.
        expect(replay(later, copy)).toEqual(replay(later, first));
        expect(replay([...earlier, ...later])).toEqual(first);
      }),
      { numRuns: RUNS },
    );
  });

  test("transitions alternate: a closed breaker opens, and an open one closes", () => {
    fc.assert(
      fc.property(anyHistory, (history) => {
        const { transitions, health } = replay(history);
        const turns = transitions.filter((kind) => kind !== "resting");
        expect(turns).toEqual(turns.map((_, at) => (at % 2 === 0 ? "opened" : "closed")));
        expect(health.breaker.openSince !== null).toBe(turns.at(-1) === "opened");
      }),
      { numRuns: RUNS },
    );
  });

  test("the view agrees with the admission of calls", () => {
    fc.assert(
      fc.property(anyHistory, anyAccount, (history, accountId) => {
        const { health, view, now } = replay(history);
        expect(view.attempts).toBe(health.tally.oks + health.tally.faults);
        const opens = opensIn(health, accountId, now);
        expect(admissionOf(health, accountId, now).kind === "open").toBe(opens !== null && opens > 0);
        if (view.state === "open") {
          expect(opens).toBeGreaterThan(0);
        }
        for (const { index, untilMs } of view.restingCredentials) {
          expect(credentialRests(health, { credential: index, accountId }, now)).toBe(true);
          expect(credentialRests(health, { credential: index, accountId }, untilMs)).toBe(
            (health.cooldowns.forAccounts.get(`${index} ${accountId}`)?.until ?? 0) > untilMs,
          );
        }
      }),
      { numRuns: RUNS },
    );
  });

  test("doubtful faults and refusals of one account affect that account only", () => {
    const doubtfulAttempt = anyAttempt.filter(
      ({ outcome }) => outcome !== down && JSON.stringify(outcome) !== JSON.stringify(refused(401)),
    );
    fc.assert(
      fc.property(fc.array(doubtfulAttempt, { maxLength: 60, size: "max" }), (history) => {
        const { health, view, now } = replay(history.map((attempt) => ({ ...attempt, accountId: "a" })));
        expect(view).toMatchObject({ state: "closed", restingCredentials: [] });
        expect(admissionOf(health, "b", now).kind).toBe("closed");
        expect(view.accountsApart).toBeLessThanOrEqual(1);
      }),
      { numRuns: RUNS },
    );
  });
});

describe("a breaker", () => {
  test("opens after five counted faults in a row, and not before", () => {
    const steps = fc.array(fc.constantFrom("ok" as const, "rejected" as const, down), {
      maxLength: 40,
      size: "max",
    });
    fc.assert(
      fc.property(steps, (outcomes) => {
        const testChannel = new TestChannel();
        let row = 0;
        for (const outcome of outcomes) {
          testChannel.attempt({ outcome });
          row = outcome === "ok" ? 0 : row + (outcome === down ? 1 : 0);
          if (row === FAULTS_TO_OPEN) {
            expect(testChannel.view.state).toBe("open");
            return;
          }
          expect(testChannel.view.state).toBe("closed");
        }
      }),
      { numRuns: RUNS },
    );
  });

  test("stays open when attempts that began before the channel's last changes end", () => {
    const testChannel = new TestChannel();
    for (let fault = 0; fault < FAULTS_TO_OPEN; fault++) {
      testChannel.attempt({ outcome: down });
    }
    for (const version of ["4", "5", "6"]) {
      testChannel.attempt({ version, outcome: "ok" });
      expect(testChannel.view.state).toBe("open");
    }
  });

  test("refuses every call for ten seconds, to the millisecond", () => {
    fc.assert(
      fc.property(fc.nat(2 * OPEN_MS), anyAccount, (passedMs, accountId) => {
        const testChannel = new TestChannel();
        for (let fault = 0; fault < FAULTS_TO_OPEN; fault++) {
          testChannel.attempt({ outcome: down });
        }
        testChannel.now += passedMs;
        expect(testChannel.view.state).toBe(passedMs < OPEN_MS ? "open" : "half_open");
        expect(opensIn(testChannel.health, accountId, testChannel.now)).toBe(Math.max(0, OPEN_MS - passedMs));
        expect(testChannel.begin(accountId) === null).toBe(passedMs < OPEN_MS);
      }),
      { numRuns: RUNS },
    );
  });

  test("admits one probe at a time, which alone decides, however calls of many accounts overlap", () => {
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ begin: anyAccount }) },
      { weight: 5, arbitrary: fc.record({ end: fc.nat(), outcome: anyOutcome }) },
      { weight: 2, arbitrary: fc.record({ passMs: fc.constantFrom(1, OPEN_MS / 2, OPEN_MS) }) },
      // Faults of other processes open it often.
      { weight: 1, arbitrary: fc.record({ faults: fc.constant(FAULTS_TO_OPEN) }) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120, size: "max" }), (steps) => {
        const testChannel = new TestChannel();
        const underWay: NonNullable<ReturnType<TestChannel["begin"]>>[] = [];
        const probes = () => underWay.filter(({ probed }) => probed.channel).length;
        for (const next of steps) {
          const before = testChannel.view.state;
          if ("begin" in next) {
            const call = testChannel.begin(next.begin);
            expect(call !== null && before === "open").toBe(false);
            underWay.push(...(call ? [call] : []));
          } else if ("end" in next && underWay.length > 0) {
            const [call] = underWay.splice(next.end % underWay.length, 1);
            const wasProbed = testChannel.health.breaker.isProbed;
            call?.end(next.outcome);
            if (wasProbed) {
              expect(testChannel.health.breaker.isProbed).toBe(!call?.probed.channel);
            }
          } else if ("passMs" in next) {
            testChannel.now += next.passMs;
          } else if ("faults" in next) {
            for (let fault = 0; fault < next.faults; fault++) {
              testChannel.attempt({ outcome: down });
            }
          }
          expect(probes()).toBe(testChannel.health.breaker.isProbed ? 1 : 0);
        }
      }),
      { numRuns: RUNS },
    );
  });

  test.each([
    ["a success", "ok", "closed"],
    ["a refusal of the call itself", "rejected", "closed"],
    ["a fault of the credential", refused(401), "closed"],
    ["a fault", down, "open"],
    ["a fault that the request may have caused", proxied, "open"],
    ["a client that leaves, which shows nothing", "abandoned", "open"],
  ] as const)("decides by the end of its probe: %s", (_, outcome, state) => {
    const testChannel = new TestChannel();
    for (let fault = 0; fault < FAULTS_TO_OPEN; fault++) {
      testChannel.attempt({ outcome: down });
    }
    testChannel.now += OPEN_MS;
    const probe = testChannel.begin("b") ?? expect.fail("no probe");
    expect([testChannel.view.state, testChannel.begin("c")]).toEqual(["half_open", null]);
    testChannel.now += 100;
    probe.end(outcome);
    expect([testChannel.view.state, opensIn(testChannel.health, "c", testChannel.now)]).toEqual([
      state,
      state === "open" ? OPEN_MS : null,
    ]);
  });

  test("closes after another process's success that began after it opened, and not after an earlier one", () => {
    const testChannel = new TestChannel();
    for (let fault = 0; fault < FAULTS_TO_OPEN; fault++) {
      testChannel.attempt({ outcome: down });
    }
    testChannel.now += OPEN_MS;
    testChannel.attempt({ outcome: "ok", elapsedMs: OPEN_MS + 1 });
    expect(testChannel.view.state).toBe("half_open");
    testChannel.attempt({ outcome: "ok", elapsedMs: OPEN_MS });
    expect(testChannel.view.state).toBe("closed");
  });

  test("stays closed however many first tries fail if their repeats succeed", () => {
    const testChannel = new TestChannel();
    for (let call = 0; call < 20; call++) {
      testChannel.attempt({ outcome: down });
      testChannel.attempt({ outcome: "ok", isCounted: false });
    }
    expect(testChannel.view.state).toBe("closed");
  });
});

test("faults that a request may cause open the breaker for their account, and for all accounts after five of them", () => {
  const testChannel = new TestChannel();
  for (let call = 0; call < 20; call++) {
    testChannel.attempt({ outcome: proxied });
  }
  expect(admissionOf(testChannel.health, "a", testChannel.now).kind).toBe("open");
  expect(testChannel.view).toMatchObject({ state: "closed", accountsApart: 1 });
  for (const accountId of ["b", "c", "d", "e"]) {
    testChannel.attempt({ outcome: proxied, accountId });
  }
  expect(testChannel.view.state).toBe("open");
});

describe("streams that break off after a good beginning", () => {
  const stream = (testChannel: TestChannel, accountId: string, outcome: AttemptEvent["outcome"]) => {
    testChannel.attempt({ outcome: "ok", accountId });
    testChannel.attempt({ kind: "streamEnd", outcome, accountId, isCounted: false });
  };

  test("open the breaker for one account, and then for all", () => {
    const testChannel = new TestChannel();
    for (let call = 0; call < 5; call++) {
      expect(admissionOf(testChannel.health, "a", testChannel.now).kind).toBe("closed");
      stream(testChannel, "a", cutOff);
    }
    expect(admissionOf(testChannel.health, "a", testChannel.now).kind).toBe("open");
    expect(testChannel.view).toMatchObject({
      state: "closed",
      attempts: 5,
      oks: 0,
      lastFault: { reason: "broken" },
    });
    for (const accountId of ["b", "c", "d", "e"]) {
      stream(testChannel, accountId, cutOff);
    }
    expect(testChannel.view.state).toBe("open");
    // After a probe, the next break opens it again.
    testChannel.now += OPEN_MS;
    stream(testChannel, "f", cutOff);
    expect(testChannel.view.state).toBe("open");
  });

  test("open no breaker if complete streams between them reset the count", () => {
    const testChannel = new TestChannel();
    for (let call = 0; call < 40; call++) {
      stream(testChannel, `account-${call}`, call % 4 === 3 ? "ok" : cutOff);
    }
    expect(testChannel.view).toMatchObject({ state: "closed", attempts: 40, oks: 10 });
  });
});

test("events more than a minute old are counted, and open no breaker", () => {
  const testChannel = new TestChannel();
  for (let fault = 0; fault < 2 * FAULTS_TO_OPEN; fault++) {
    const { state } = reduce(
      testChannel.state,
      {
        ...{ ...channel, kind: "attempt", credential: 0, accountId: "a", outcome: down, count: 1 },
        ...{ isCounted: true, probed: NO_PROBE, at: testChannel.now - 60_001, elapsedMs: 0 },
      },
      testChannel.now,
    );
    testChannel.state = state;
  }
  expect(testChannel.view).toMatchObject({
    state: "closed",
    attempts: 10,
    lastFault: { at: new Date(testChannel.now - 60_001) },
  });
});

test("the state of a channel with calls of thousands of accounts stays small", () => {
  const testChannel = new TestChannel();
  for (let account = 0; account < 2_500; account++) {
    const accountId = `account-${account}`;
    testChannel.attempt({ outcome: proxied, accountId });
    testChannel.attempt({ outcome: refused(429), accountId, credential: account % 3 });
    testChannel.attempt({ kind: "streamEnd", outcome: cutOff, accountId, isCounted: false });
  }
  const { accounts: breakers, cooldowns, breaks, affected } = testChannel.health;
  expect(breakers.size + breaks.accounts.size).toBeLessThanOrEqual(1_000);
  expect(cooldowns.forAccounts.size).toBe(2_000);
  expect(affected.size + breaks.affected.size).toBeLessThanOrEqual(2 * FAULTS_TO_OPEN);
});
