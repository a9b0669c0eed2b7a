import { expect, test } from "vitest";
import { StreamPatience } from "./stream-patience";

const times = { keepAliveMs: 10, idleTimeoutMs: 100, lingerMs: 50, countedMs: 5 };

test("an upstream counts as silent after the idle timeout without an answer, and after five times as long if it sends pings", () => {
  const patience = new StreamPatience(times, 0);
  expect(patience.silentMs(99)).toBeNull();
  expect(patience.silentMs(100)).toBe(100);
  for (let now = 50; now < 500; now += 50) {
    patience.pinged(now);
    expect(patience.silentMs(now)).toBeNull();
  }
  patience.pinged(500);
  expect(patience.silentMs(500)).toBe(500);
  patience.worked(500);
  expect(patience.silentMs(599)).toBeNull();
});

test("the time in which a client reads does not count as the upstream's silence", () => {
  const patience = new StreamPatience(times, 0);
  patience.taken(0, 1_000);
  expect(patience.silentMs(1_099)).toBeNull();
  expect(patience.silentMs(1_100)).toBe(100);
});

test("a keep-alive is due if nothing was sent for a while", () => {
  const patience = new StreamPatience(times, 0);
  expect(patience.until).toBe(10);
  patience.taken(4, 5);
  expect(patience.until).toBe(15);
});

test("a finished answer gets a moment for its counts, and an answer that continues is not cut off", () => {
  const patience = new StreamPatience(times, 0);
  patience.progressed({ isFinished: true, isCounted: false, isWork: true }, 20);
  expect([patience.isFinished, patience.until]).toEqual([true, 70]);
  // Signs of life prolong nothing; more of the answer does.
  patience.progressed({ isFinished: true, isCounted: false, isWork: false }, 30);
  expect(patience.until).toBe(70);
  patience.progressed({ isFinished: true, isCounted: false, isWork: true }, 40);
  expect(patience.until).toBe(90);
  patience.taken(40, 45);
  expect(patience.until).toBe(95);
  expect(patience.silentMs(10_000)).toBeNull();
  patience.progressed({ isFinished: false, isCounted: false, isWork: true }, 50);
  expect([patience.isFinished, patience.until]).toEqual([false, 55]);
});

test("an answer whose counts have followed its end gets only a moment, unless it continues", () => {
  const patience = new StreamPatience(times, 0);
  patience.progressed({ isFinished: true, isCounted: true, isWork: true }, 20);
  expect(patience.until).toBe(25);
  patience.progressed({ isFinished: true, isCounted: false, isWork: true }, 24);
  expect(patience.until).toBe(74);
});
