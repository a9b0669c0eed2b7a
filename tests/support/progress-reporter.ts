import type { Reporter, TestModule } from "vitest/node";
import { suiteOf } from "./suite-name.ts";

type Suite = { files: number; done: number; failed: number; startedAt: number; toldAt: number };

const QUIET_MS = 10_000;

const seconds = (since: number) => `${Math.round((Date.now() - since) / 1_000)} s`;

/**
 * Prints a line when a suite begins, one when it is over, and the progress in between, so that every minute has a line.
 */
export function progress(tell: (line: string) => void): Reporter {
  const suites = new Map<string, Suite>();
  const suiteNamed = (name: string): Suite => {
    const suite = suites.get(name) ?? { files: 0, done: 0, failed: 0, startedAt: 0, toldAt: 0 };
    suites.set(name, suite);
    return suite;
  };
  return {
    onTestRunStart: (files) => {
      suites.clear();
      for (const file of files) {
        suiteNamed(suiteOf(file)).files++;
      }
    },
    onTestModuleStart: (module: TestModule) => {
      const name = suiteOf(module);
      const suite = suiteNamed(name);
      if (suite.startedAt === 0) {
        suite.startedAt = suite.toldAt = Date.now();
        tell(`${name} begins: ${suite.files} files`);
      }
    },
    onTestModuleEnd: (module: TestModule) => {
      const name = suiteOf(module);
      const suite = suiteNamed(name);
      suite.done++;
      suite.failed += module.ok() ? 0 : 1;
      const isOver = suite.done === suite.files;
      if (isOver || Date.now() - suite.toldAt > QUIET_MS) {
        suite.toldAt = Date.now();
        const failed = suite.failed > 0 ? `, ${suite.failed} failed` : "";
        tell(`${name} ${suite.done} of ${suite.files} files${failed}, ${seconds(suite.startedAt)}`);
      }
    },
  };
}
