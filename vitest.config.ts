import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { measurements } from "./tests/support/measurements.ts";
import { progress } from "./tests/support/progress-reporter.ts";
import { runReport } from "./tests/support/run-report.ts";
import { SuitesInTurn } from "./tests/support/suite-sequencer.ts";

// A compile cache: servers and test files load the same packages hundreds of times, 15 % of a run's processor time.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL("./node_modules/.cache/compile", import.meta.url));

/**
 * Properties, recordings and the order of kills draw from it: each commit draws other values, and a failure of CI is one
 * here too. `TEST_SEED=7` draws others.
 */
function seedOfCommit(): string {
  try {
    const commit = execFileSync("git", ["rev-parse", "HEAD"], {
      cwd: import.meta.dirname,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    return String(Number.parseInt(commit.slice(0, 7), 16));
  } catch {
    // Sources without their history.
    return "1";
  }
}
process.env.TEST_SEED ||= seedOfCommit();
if (!/^\d+$/.test(process.env.TEST_SEED)) {
  throw new Error(`TEST_SEED is no whole number: ${process.env.TEST_SEED}`);
}
console.log(`TEST_SEED=${process.env.TEST_SEED}`);

const report = process.env.VITEST_JSON_OUTPUT_FILE;

const database = { globalSetup: ["tests/support/global-database.ts"] };
const suite = (name: string, more: object = {}) => ({
  extends: true as const,
  test: {
    name,
    include: [`tests/${name}/**/*.test.ts`],
    // The timeout counts the clock, which runs on while a busy machine does other work, so it only ends hanging tests.
    // Waiting helpers have their own limit, in processor time (tests/support/until.ts).
    testTimeout: 600_000,
    // Hooks may wait for the build.
    hookTimeout: 600_000,
    sequence: { groupOrder: 2 },
    ...database,
    ...more,
  },
});

export default defineConfig({
  resolve: { alias: { "@/": fileURLToPath(new URL("./", import.meta.url)) } },
  test: {
    setupFiles: ["tests/support/file-times-setup.ts", "tests/support/test-seed.ts"],
    pool: "forks",
    // Tests wait for sockets and the database a third of their time, so two cores can run four workers.
    maxWorkers: 4,
    sequence: { sequencer: SuitesInTurn },
    // Differences are printed in full: of a failure in CI only the message is kept.
    chaiConfig: { truncateThreshold: 4_000 },
    reporters: [
      "default",
      progress((line) => void process.stdout.write(`${line}\n`)),
      measurements("test-times/vitest.json"),
      ...(report ? [runReport(report)] : []),
    ],
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["server/**/*.test.ts", "app/**/*.test.{ts,tsx}", "scripts/**/*.test.ts"],
          // Unit tests share no state but their modules, which each worker loads once.
          isolate: false,
          // They need the processor and wait for nothing: more workers than cores would only load the modules more often.
          maxWorkers: 2,
          // A project with another number of workers needs a separate turn. It is the first, during the build.
          sequence: { groupOrder: 1 },
          // A busy machine is no defect: speed is tested in processor time (tests/support/cpu-time.ts).
          testTimeout: 600_000,
        },
      },
      // One project for three folders: a worker that continues with the next folder keeps its modules and its
      // gateway.
      suite("server", { include: ["tests/{contract,integration,recorded}/**/*.test.ts"], isolate: false }),
      // One round has each fault once: the soak repeats the same faults at random (`npm run test:soak`).
      suite("faults", {
        testTimeout: 1_800_000,
        isolate: false,
        ...(process.env.FAULT_ROUNDS === "1" && { exclude: ["tests/faults/soak.test.ts"] }),
      }),
      suite("upgrade", { testTimeout: 1_800_000 }),
      suite("regions", { testTimeout: 1_800_000 }),
    ],
  },
});
