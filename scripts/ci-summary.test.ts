import { expect, test } from "vitest";
import { describeFailure, failedChecks, summarise } from "./ci-summary.mjs";
import { renderTimes } from "./test-times.mjs";

test("a failed run ends with each failed test, its seed and its error", () => {
  const error = `Error: Property failed after 3 tests\n{ seed: -1819918769, path: "2:1", endOnFailure: true }\n${"x".repeat(2_000)}`;
  const failure = { title: "a.test.ts > keeps digits", error };
  expect(summarise({ passed: 1, failures: [failure] })).toEqual({ passed: 1, failures: [failure] });
  expect(describeFailure(failure)).toMatch(
    /^FAILED a\.test\.ts > keeps digits\nseed -1819918769\nError: Property failed/,
  );
  expect(describeFailure(failure).length).toBeLessThan(1_600);
  const spec = (title: string, status: string) => ({
    ...{ file: "keys.test.ts", title },
    tests: [{ status, results: [{ errors: status === "expected" ? [] : [{ message: "not visible" }] }] }],
  });
  const playwright = {
    stats: { expected: 1 },
    suites: [
      { suites: [{ specs: [spec("a key is shown once", "flaky")] }], specs: [spec("signs in", "expected")] },
    ],
  };
  expect(summarise(playwright)).toEqual({
    passed: 1,
    failures: [{ title: "keys.test.ts > a key is shown once", error: "not visible" }],
  });
});

test("a failed check is named with its output", () => {
  const text =
    "Checked 9 files.\npassed: format, 9 s\n\na.ts(3,1): error TS2322\nFAILED: types, 12 s\n\n\npassed: dead code, 3 s\n";
  expect(failedChecks(text)).toEqual([
    { title: "types", error: "a.ts(3,1): error TS2322\nFAILED: types, 12 s" },
  ]);
});

test("the table of times has the sums of each suite and names the slowest files", () => {
  const spent = { processor: 900, database: 500, gateway: 1_000, server: 0, polls: 200, sleeps: 0 };
  const file = (name: string, testsMs: number) => ({
    ...{ suite: "contract", file: name, tests: 2, startedAt: 1_000, endedAt: 5_000, importMs: 1_500 },
    ...{ testsMs, spent },
  });
  const text = renderTimes({ phases: { tests: 5_400 }, files: [file("a", 2_000), file("b", 3_000)] });
  expect(text).toMatch(/contract +2 +4 +4\.0 +3\.0 +5\.0 +1\.8 +1\.0 +2\.0 +0\.0 +0\.4 +0\.0/);
  expect(text).toMatch(/\nb +1\.5 +3\.0 .*\na +1\.5 +2\.0 /);
  expect(text).toMatch(/\ntests 5 s$/);
});
