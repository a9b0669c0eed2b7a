import { expect, test } from "vitest";
import { pauseAfter } from "./schedule";

const HOUR_MS = 3_600_000;

test("attempts continue for about three days with growing pauses, and then end", () => {
  const pauses: number[] = [];
  for (let attempts = 1, pause = pauseAfter(1); pause !== null; pause = pauseAfter(++attempts)) {
    pauses.push(pause);
  }
  expect(pauses).toEqual(pauses.toSorted((left, right) => left - right));
  const sum = pauses.reduce((total, pause) => total + pause, 0);
  expect(sum / HOUR_MS).toBeGreaterThan(72);
  expect(sum / HOUR_MS).toBeLessThan(80);
});

test("a receiver may ask for a longer pause, of up to a day, and attempts that failed together are repeated at different times", () => {
  expect(pauseAfter(1, { retryAfterMs: HOUR_MS })).toBe(HOUR_MS);
  expect(pauseAfter(1, { retryAfterMs: 1_000 * HOUR_MS })).toBe(24 * HOUR_MS);
  expect(pauseAfter(2, { random: 1 })).toBeGreaterThan(pauseAfter(2) ?? 0);
});
