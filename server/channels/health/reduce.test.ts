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
import { admissionOf, opensIn, reduce, rests } from "./reduce";

const RUNS = 300;

describe("whatever the history of a channel", () => {
  test("the same events in the same order give the same state and transitions, from every state on the way", () => {
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

  test("transitions alternate: it opens only when it was closed, and closes only when it was open", () => {
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

  test("the view agrees with what calls meet", () => {
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
          expect(rests(health, { credential: index, accountId }, now)).toBe(true);
          expect(rests(health, { credential: index, accountId }, untilMs)).toBe(
            (health.cooldowns.forAccounts.get(`${index} ${accountId}`)?.until ?? 0) > untilMs,
          );
        }
      }),
      { numRuns: RUNS },
    );
  });

  test("a single account closes the channel, and a credential that is not refused by a 401, to itself alone", () => {
    const own = anyAttempt.filter(
      ({ outcome }) => outcome !== down && JSON.stringify(outcome) !== JSON.stringify(refused(401)),
    );
    fc.assert(
      fc.property(fc.array(own, { maxLength: 60, size: "max" }), (history) => {
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
  test("opens when five counted faults have come in a row, and not before", () => {
    const steps = fc.array(fc.constantFrom("ok" as const, "rejected" as const, down), {
      maxLength: 40,
      size: "max",
    });
    fc.assert(
      fc.property(steps, (outcomes) => {
        const room = new TestChannel();
        let row = 0;
        for (const outcome of outcomes) {
          room.attempt({ outcome });
          row = outcome === "ok" ? 0 : row + (outcome === down ? 1 : 0);
          if (row === FAULTS_TO_OPEN) {
            expect(room.view.state).toBe("open");
            return;
          }
          expect(room.view.state).toBe("closed");
        }
      }),
      { numRuns: RUNS },
    );
  });

  test("stays open when attempts end that began before the channel's last changes", () => {
    const room = new TestChannel();
    for (let fault = 0; fault < FAULTS_TO_OPEN; fault++) {
      room.attempt({ outcome: down });
    }
    for (const version of ["4", "5", "6"]) {
      room.attempt({ version, outcome: "ok" });
      expect(room.view.state).toBe("open");
    }
  });

  test("refuses every call for ten seconds, to the millisecond", () => {
    fc.assert(
      fc.property(fc.nat(2 * OPEN_MS), anyAccount, (passedMs, accountId) => {
        const room = new TestChannel();
        for (let fault = 0; fault < FAULTS_TO_OPEN; fault++) {
          room.attempt({ outcome: down });
        }
        room.now += passedMs;
        expect(room.view.state).toBe(passedMs < OPEN_MS ? "open" : "half_open");
        expect(opensIn(room.health, accountId, room.now)).toBe(Math.max(0, OPEN_MS - passedMs));
        expect(room.begin(accountId) === null).toBe(passedMs < OPEN_MS);
      }),
      { numRuns: RUNS },
    );
  });

  test("lets one probe through at a time, which alone decides, however calls of many accounts overlap", () => {
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ begin: anyAccount }) },
      { weight: 5, arbitrary: fc.record({ end: fc.nat(), outcome: anyOutcome }) },
      { weight: 2, arbitrary: fc.record({ passMs: fc.constantFrom(1, OPEN_MS / 2, OPEN_MS) }) },
      // Faults of other processes open it often.
      { weight: 1, arbitrary: fc.record({ faults: fc.constant(FAULTS_TO_OPEN) }) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120, size: "max" }), (steps) => {
        const room = new TestChannel();
        const underWay: NonNullable<ReturnType<TestChannel["begin"]>>[] = [];
        const probes = () => underWay.filter(({ probed }) => probed.channel).length;
        for (const next of steps) {
          const before = room.view.state;
          if ("begin" in next) {
            const call = room.begin(next.begin);
            expect(call !== null && before === "open").toBe(false);
            underWay.push(...(call ? [call] : []));
          } else if ("end" in next && underWay.length > 0) {
            const [call] = underWay.splice(next.end % underWay.length, 1);
            const wasProbed = room.health.breaker.isProbed;
            call?.end(next.outcome);
            if (wasProbed) {
              expect(room.health.breaker.isProbed).toBe(!call?.probed.channel);
            }
          } else if ("passMs" in next) {
            room.now += next.passMs;
          } else if ("faults" in next) {
            for (let fault = 0; fault < next.faults; fault++) {
              room.attempt({ outcome: down });
            }
          }
          expect(probes()).toBe(room.health.breaker.isProbed ? 1 : 0);
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
  ] as const)("after a probe that ends with %s", (_, outcome, state) => {
    const room = new TestChannel();
    for (let fault = 0; fault < FAULTS_TO_OPEN; fault++) {
      room.attempt({ outcome: down });
    }
    room.now += OPEN_MS;
    const probe = room.begin("b") ?? expect.fail("no probe");
    expect([room.view.state, room.begin("c")]).toEqual(["half_open", null]);
    room.now += 100;
    probe.end(outcome);
    expect([room.view.state, opensIn(room.health, "c", room.now)]).toEqual([
      state,
      state === "open" ? OPEN_MS : null,
    ]);
  });

  test("is closed by another process's success that began after it opened, and not by an earlier one", () => {
    const room = new TestChannel();
    for (let fault = 0; fault < FAULTS_TO_OPEN; fault++) {
      room.attempt({ outcome: down });
    }
    room.now += OPEN_MS;
    room.attempt({ outcome: "ok", elapsedMs: OPEN_MS + 1 });
    expect(room.view.state).toBe("half_open");
    room.attempt({ outcome: "ok", elapsedMs: OPEN_MS });
    expect(room.view.state).toBe("closed");
  });

  test("stays closed however many first tries fail whose repeats succeed", () => {
    const room = new TestChannel();
    for (let call = 0; call < 20; call++) {
      room.attempt({ outcome: down });
      room.attempt({ outcome: "ok", isCounted: false });
    }
    expect(room.view.state).toBe("closed");
  });
});

test("faults that a request may cause open it to their account, and to all once five accounts have met them", () => {
  const room = new TestChannel();
  for (let call = 0; call < 20; call++) {
    room.attempt({ outcome: proxied });
  }
  expect(admissionOf(room.health, "a", room.now).kind).toBe("open");
  expect(room.view).toMatchObject({ state: "closed", accountsApart: 1 });
  for (const accountId of ["b", "c", "d", "e"]) {
    room.attempt({ outcome: proxied, accountId });
  }
  expect(room.view.state).toBe("open");
});

describe("streams that break off after a good beginning", () => {
  const stream = (room: TestChannel, accountId: string, outcome: AttemptEvent["outcome"]) => {
    room.attempt({ outcome: "ok", accountId });
    room.attempt({ kind: "streamEnd", outcome, accountId, isCounted: false });
  };

  test("close it to one account, and then to all", () => {
    const room = new TestChannel();
    for (let call = 0; call < 5; call++) {
      expect(admissionOf(room.health, "a", room.now).kind).toBe("closed");
      stream(room, "a", cutOff);
    }
    expect(admissionOf(room.health, "a", room.now).kind).toBe("open");
    expect(room.view).toMatchObject({
      state: "closed",
      attempts: 5,
      oks: 0,
      lastFault: { reason: "broken" },
    });
    for (const accountId of ["b", "c", "d", "e"]) {
      stream(room, accountId, cutOff);
    }
    expect(room.view.state).toBe("open");
    // After a probe, the next break opens it again.
    room.now += OPEN_MS;
    stream(room, "f", cutOff);
    expect(room.view.state).toBe("open");
  });

  test("leave it open now and then: a complete one resets the count", () => {
    const room = new TestChannel();
    for (let call = 0; call < 40; call++) {
      stream(room, `account-${call}`, call % 4 === 3 ? "ok" : cutOff);
    }
    expect(room.view).toMatchObject({ state: "closed", attempts: 40, oks: 10 });
  });
});

test("events of more than a minute ago are counted, and open nothing", () => {
  const room = new TestChannel();
  for (let fault = 0; fault < 2 * FAULTS_TO_OPEN; fault++) {
    const { state } = reduce(
      room.state,
      {
        ...{ ...channel, kind: "attempt", credential: 0, accountId: "a", outcome: down, count: 1 },
        ...{ isCounted: true, probed: NO_PROBE, at: room.now - 60_001, elapsedMs: 0 },
      },
      room.now,
    );
    room.state = state;
  }
  expect(room.view).toMatchObject({
    state: "closed",
    attempts: 10,
    lastFault: { at: new Date(room.now - 60_001) },
  });
});

test("the state of a channel that thousands of accounts call stays small", () => {
  const room = new TestChannel();
  for (let account = 0; account < 2_500; account++) {
    const accountId = `account-${account}`;
    room.attempt({ outcome: proxied, accountId });
    room.attempt({ outcome: refused(429), accountId, credential: account % 3 });
    room.attempt({ kind: "streamEnd", outcome: cutOff, accountId, isCounted: false });
  }
  const { accounts: breakers, cooldowns, breaks, sufferers } = room.health;
  expect(breakers.size + breaks.accounts.size).toBeLessThanOrEqual(1_000);
  expect(cooldowns.forAccounts.size).toBe(2_000);
  expect(sufferers.size + breaks.sufferers.size).toBeLessThanOrEqual(2 * FAULTS_TO_OPEN);
});
