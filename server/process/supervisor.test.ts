import { expect, test } from "vitest";
import { waitMs } from "./supervisor";

test("a process that dies again and again is restarted after longer and longer waits, of at most half a minute", () => {
  const waits = Array.from({ length: 12 }, (_, failures) => waitMs(failures));
  expect(waits.slice(0, 4)).toEqual([250, 500, 1_000, 2_000]);
  expect(waits.toSorted((a, b) => a - b)).toEqual(waits);
  expect(waits.at(-1)).toBe(30_000);
  expect(waitMs(10_000)).toBe(30_000);
});
