import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Reporter, TestModule } from "vitest/node";
import { NOTHING, type OverheadTimes } from "./file-times.ts";
import { suiteOf } from "./suite-name.ts";

/** The figures of a test file that `scripts/test-times.mjs` prints. Times are in milliseconds. */
type FileTimes = {
  suite: string;
  file: string;
  tests: number;
  failed: number;
  startedAt: number;
  endedAt: number;
  /** The worker's start, imports and setup files. */
  importMs: number;
  testsMs: number;
  spent: OverheadTimes;
};

function measure(module: TestModule, startedAt: number): FileTimes {
  const { prepareDuration, environmentSetupDuration, collectDuration, setupDuration, duration } =
    module.diagnostic();
  const tests = [...module.children.allTests()];
  const { spent = NOTHING } = module.meta();
  return {
    suite: suiteOf(module),
    file: module.relativeModuleId,
    tests: tests.length,
    failed: tests.filter((test) => test.result().state === "failed").length,
    importMs: prepareDuration + environmentSetupDuration + collectDuration + setupDuration,
    ...{ startedAt, endedAt: Date.now(), testsMs: duration, spent },
  };
}

/** Writes the times of each test file to a JSON file. */
export function measurements(path: string): Reporter {
  const begun = new Map<string, number>();
  const files: FileTimes[] = [];
  return {
    onTestRunStart: () => {
      begun.clear();
      files.length = 0;
    },
    // The first event of a file's worker, before its imports.
    onTestModuleQueued: ({ id }) => void begun.set(id, Date.now()),
    onTestModuleEnd: (module) => void files.push(measure(module, begun.get(module.id) ?? Date.now())),
    onTestRunEnd: () => {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, JSON.stringify(files));
    },
  };
}
