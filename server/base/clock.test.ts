import { afterEach, expect, test, vi } from "vitest";
import { createStopwatch } from "./clock";

afterEach(() => void vi.useRealTimers());

test("a stopwatch measures a second as a second, however often it is read", () => {
  const now = createStopwatch();
  // Each stopwatch reading is between two real ones, because this process may be held up between any two lines.
  const moment = () => [performance.now(), now(), performance.now()] as const;
  const [began, from, begun] = moment();
  while (performance.now() - begun < 200) {
    now();
  }
  const [ending, until, ended] = moment();
  expect(until - from).toBeGreaterThanOrEqual(ending - begun);
  expect(until - from).toBeLessThanOrEqual(ended - began);
});

test("a stopwatch counts the time in which the machine stands still, and does not stop if a clock is set", () => {
  vi.useFakeTimers({ toFake: ["Date", "performance"] });
  const now = createStopwatch();
  const from = now();
  const elapsed = () => now() - from;
  vi.advanceTimersByTime(10_000);
  expect(elapsed()).toBe(10_000);
  vi.setSystemTime(Date.now() + 3_600_000);
  expect(elapsed()).toBe(3_610_000);
  vi.setSystemTime(Date.now() - 3_600_000);
  expect(elapsed()).toBe(3_610_000);
  vi.advanceTimersByTime(10_000);
  expect(elapsed()).toBe(3_620_000);
  vi.setSystemTime(Date.now() + 60_000);
  expect(elapsed()).toBe(3_680_000);
});
