import { afterEach, expect, test, vi } from "vitest";
import { looksLikeId, lowestId, madeAt, newId } from "./ids";

afterEach(() => void vi.useRealTimers());

test("identifiers are made in order, each once, however many are made in a millisecond", () => {
  const ids = Array.from({ length: 20_000 }, () => newId("req"));
  expect(ids).toEqual([...new Set(ids)].sort());
  expect(ids.every(looksLikeId)).toBe(true);
});

test("an identifier is a UUID of version 7, and contains the time at which it was made", () => {
  const before = new Date();
  const id = newId("task");
  expect(id).toMatch(/^task_[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/);
  expect(madeAt(id).getTime()).toBeGreaterThanOrEqual(before.getTime());
  expect(madeAt(id).getTime()).toBeLessThanOrEqual(Date.now());
  expect(lowestId("task", before) < id).toBe(true);
});

test("identifiers keep their order if the clock is set back a little, and contain the right time again after a wrong clock is corrected", () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const at = (time: string) => {
    vi.setSystemTime(new Date(time));
    return newId("req");
  };
  const first = at("2090-01-01T00:00:30Z");
  expect(at("2090-01-01T00:00:00Z") > first).toBe(true);
  // A machine whose clock was set to local time, and then corrected.
  at("2090-01-01T08:00:00Z");
  expect(madeAt(at("2090-01-01T00:00:31Z"))).toEqual(new Date("2090-01-01T00:00:31Z"));
});

test("no two identifiers share their random part", () => {
  const tails = Array.from({ length: 5_000 }, () => newId("ses").slice(-10));
  expect(new Set(tails).size).toBe(tails.length);
});
