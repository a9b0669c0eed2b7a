import { writeFileSync } from "node:fs";
import type { Reporter, TestModule } from "vitest/node";

/** An error of a test, of a hook, of a file that could not be loaded, or of code outside every test. */
type TestFailure = { title: string; error: string };

const textOf = (errors: readonly { message: string; stack?: string | undefined }[]) =>
  errors.map(({ message, stack }) => stack ?? message).join("\n");

function failuresOf(module: TestModule): TestFailure[] {
  const path = module.relativeModuleId;
  const broken = [module, ...module.children.allSuites()].flatMap((part) => {
    const title = part.type === "module" ? path : `${path} > ${part.fullName}, in a hook`;
    return part.errors().length > 0 ? [{ title, error: textOf(part.errors()) }] : [];
  });
  const failed = [...module.children.allTests("failed")].map((test) => ({
    title: `${path} > ${test.fullName}`,
    error: textOf(test.result().errors ?? []),
  }));
  return [...broken, ...failed];
}

/** Writes the number of passed tests and each failure to a JSON file, which `scripts/ci-summary.mjs` reads. */
export function runReport(path: string): Reporter {
  return {
    onTestRunEnd: (modules, unhandled) => {
      const passed = modules.flatMap((module) => [...module.children.allTests("passed")]).length;
      const outside = unhandled.map((error) => ({
        title: "an error outside every test",
        error: textOf([error]),
      }));
      const failures = [...modules.flatMap(failuresOf), ...outside];
      writeFileSync(path, JSON.stringify({ passed, failures }));
    },
  };
}
