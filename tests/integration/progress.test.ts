import { resolve } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { TestModule, TestSpecification } from "vitest/node";
import { progress } from "@/tests/support/progress-reporter";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A file of a suite, with the members that the reporter reads. */
const file = (suite: string, isOk = true) => {
  const moduleId = resolve(suite === "unit" ? "server/base/a.test.ts" : `tests/${suite}/a.test.ts`);
  const name = suite === "unit" ? suite : "server";
  return { moduleId, project: { name }, ok: () => isOk } as TestModule;
};

test("every suite reports its begin and its end, and no minute in between passes without a line", () => {
  const lines: string[] = [];
  const reporter = progress((line) => lines.push(line));
  const files = [file("unit"), ...Array.from({ length: 20 }, () => file("contract"))];
  void reporter.onTestRunStart?.(files as unknown as TestSpecification[]);
  for (const [index, each] of files.entries()) {
    void reporter.onTestModuleStart?.(each);
    vi.advanceTimersByTime(5_000);
    void reporter.onTestModuleEnd?.(index === 3 ? file("contract", false) : each);
  }
  const expected = ["unit begins: 1 files", "unit 1 of 1 files, 5 s", "contract begins: 20 files"];
  expect(lines.slice(0, 3)).toEqual(expected);
  // At least one line for every three files of five seconds each, with the failures so far.
  expect(lines.slice(3)).toHaveLength(7);
  expect(lines.slice(3).every((line) => line.includes(", 1 failed"))).toBe(true);
  expect(lines.at(-1)).toBe("contract 20 of 20 files, 1 failed, 100 s");
});
