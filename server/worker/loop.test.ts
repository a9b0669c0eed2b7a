import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createLog } from "@/server/base/log";
import { startLoop } from "./loop";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const log = createLog("silent");

/** Passes of a loop up to each of these moments after its start, in seconds. */
async function passesAt(everyMs: number, seconds: number[]): Promise<number[]> {
  let passes = 0;
  const stop = startLoop(log, { name: "a loop", everyMs, pass: async () => void passes++ });
  const passCounts: number[] = [];
  let now = 0;
  for (const second of seconds) {
    await vi.advanceTimersByTimeAsync((second - now) * 1000);
    now = second;
    passCounts.push(passes);
  }
  await stop();
  return passCounts;
}

it("makes its first pass soon, however long its pauses are", async () => {
  expect(await passesAt(3_600_000, [1, 11, 3600, 3620])).toEqual([0, 1, 1, 2]);
});

it("makes its first pass after one pause if the pause is short", async () => {
  expect(await passesAt(2_000, [1, 3, 5])).toEqual([0, 1, 2]);
});

it.each([
  ["after a wait", () => Promise.reject(new Error("no connection"))],
  [
    "at once",
    () => {
      throw new Error("the clock is wrong");
    },
  ],
])("continues after a pass that failed %s", async (_when, fail: () => Promise<never>) => {
  let passes = 0;
  const pass = () => {
    passes++;
    return fail();
  };
  const stop = startLoop(log, { name: "a loop", everyMs: 1_000, pass });
  await vi.advanceTimersByTimeAsync(3_500);
  await stop();
  expect(passes).toBe(3);
});
