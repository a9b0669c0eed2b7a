import { describe, expect, test } from "vitest";
import { isFailing } from "./failing";

const lately = (attempts: number, failed: number) => ({ attempts, failed, since: new Date() });

describe("a channel that was well", () => {
  test.each([
    [5, 5],
    [10, 5],
    [2_000, 1_000],
  ])("fails: of %i attempts %i failed", (attempts, failed) => {
    expect(isFailing(lately(attempts, failed), false)).toBe(true);
  });

  test.each([
    [0, 0],
    [4, 4],
    [11, 5],
    [2_000, 999],
  ])("does not: of %i attempts %i failed", (attempts, failed) => {
    expect(isFailing(lately(attempts, failed), false)).toBe(false);
  });
});

describe("a channel that failed", () => {
  test.each([
    [0, 0],
    [1, 1],
    [9, 1],
    [100, 11],
  ])("fails still: of %i attempts %i failed", (attempts, failed) => {
    expect(isFailing(lately(attempts, failed), true)).toBe(true);
  });

  test.each([
    [1, 0],
    [10, 1],
    [2_000, 200],
  ])("is well again: of %i attempts %i failed", (attempts, failed) => {
    expect(isFailing(lately(attempts, failed), true)).toBe(false);
  });
});
