import fc from "fast-check";
import { expect, test } from "vitest";
import { virtualTimers } from "@/tests/support/virtual-clock";
import { createTimerWheel, EXACT_BELOW_MS, TICK_MS } from "./timer-wheel";

/** A wheel in virtual time, and the number of timers that it has started. */
function createWheel() {
  const timers = virtualTimers();
  let started = 0;
  const after = createTimerWheel({
    now: timers.now,
    after: (ms, act) => {
      started++;
      return timers.after(ms, act);
    },
  });
  return { timers, after, started: () => started };
}

test("a deadline passes once, never early, and at most two ticks late", () => {
  const minutes = fc.integer({ min: EXACT_BELOW_MS, max: 600_000 });
  fc.assert(
    fc.property(
      fc.array(fc.tuple(minutes, fc.integer({ min: 0, max: 2_000 })), { maxLength: 20 }),
      (waits) => {
        const { timers, after } = createWheel();
        const lateness: number[] = [];
        for (const [ms, pauseMs] of waits) {
          const due = timers.now() + ms;
          after(ms, () => lateness.push(timers.now() - due));
          timers.advance(pauseMs);
        }
        timers.advance(601_000);
        expect(lateness).toHaveLength(waits.length);
        expect(lateness.every((ms) => ms >= 0 && ms <= 2 * TICK_MS)).toBe(true);
      },
    ),
    { numRuns: 50 },
  );
});

test("a cancelled deadline does not pass, even if another deadline or its own callback cancels it", () => {
  const { timers, after } = createWheel();
  const passed: string[] = [];
  after(5_000, () => {
    passed.push("first");
    cancelSecond();
  });
  const cancelSecond = after(5_000, () => passed.push("second"));
  const cancelThird = after(5_000, () => {
    passed.push("third");
    cancelThird();
  });
  after(40_000, () => passed.push("never"))();
  timers.advance(60_000);
  cancelSecond();
  expect(passed).toEqual(["first", "third"]);
});

test("a deadline that is set when another one passes waits for its own time", () => {
  const { timers, after } = createWheel();
  const passed: number[] = [];
  const from = timers.now();
  const setNext = () => {
    passed.push(timers.now() - from);
    if (passed.length < 3) {
      after(25_600, setNext);
    }
  };
  after(25_600, setNext);
  timers.advance(100_000);
  expect(passed.map((ms) => Math.round(ms / 25_600))).toEqual([1, 2, 3]);
});

test("all deadlines that expired while the process stood still pass at once", () => {
  let now = 0;
  const pending: (() => void)[] = [];
  const after = createTimerWheel({
    now: () => now,
    after: (_, act) => {
      pending.push(act);
      return () => {};
    },
  });
  const passed: number[] = [];
  for (const ms of [1_000, 30_000, 600_000, 7_200_000]) {
    after(ms, () => passed.push(ms));
  }
  now = 3_600_000;
  pending.shift()?.();
  expect(passed.sort((left, right) => left - right)).toEqual([1_000, 30_000, 600_000]);
});

test("a thousand deadlines share one timer, which ends with the last of them", () => {
  const { timers, after, started } = createWheel();
  const cancels = Array.from({ length: 1_000 }, () => after(10_000, () => {}));
  timers.advance(10 * TICK_MS);
  expect(started()).toBe(11);
  for (const cancel of cancels) {
    cancel();
  }
  timers.advance(60_000);
  expect(started()).toBe(11);
});

test("a short wait is exact", () => {
  const { timers, after } = createWheel();
  const passed: number[] = [];
  const from = timers.now();
  after(EXACT_BELOW_MS - 1, () => passed.push(timers.now() - from));
  timers.advance(2_000);
  expect(passed).toEqual([EXACT_BELOW_MS - 1]);
});
