// The table that `npm test` prints last: the times of a run. `node scripts/test-times.mjs [FILE]` prints it again.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** One run's times, so that runs can be compared; git ignores the folder. */
export const TIMES = "test-times/run.json";

const SLOWEST = 20;
const SPENT = ["processor", "database", "gateway", "server", "polls", "sleeps"];
const sum = (values) => values.reduce((total, value) => total + value, 0);
const seconds = (ms) => (ms / 1_000).toFixed(1);

function tableOf(head, rows) {
  const widths = head.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column].length)));
  const line = (cells) =>
    cells
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column])))
      .join("  ");
  return [head, ...rows].map(line).join("\n");
}

/** The tests of a file in Playwright's report, including those of nested suites. */
const testsOf = ({ suites = [], specs = [] }) => [
  ...suites.flatMap(testsOf),
  ...specs.flatMap(({ tests }) => tests),
];

/** The files of a Playwright report, in the form of `tests/support/measurements.ts`. */
const filesOfFlows = ({ suites }) =>
  suites.map((suite) => {
    const results = testsOf(suite).flatMap((test) => test.results);
    const begins = results.map(({ startTime }) => Date.parse(startTime));
    return {
      suite: "flows",
      file: suite.file,
      tests: results.length,
      startedAt: Math.min(...begins),
      endedAt: Math.max(...results.map(({ duration }, index) => begins[index] + duration)),
      importMs: 0,
      testsMs: sum(results.map(({ duration }) => duration)),
      spent: Object.fromEntries(SPENT.map((name) => [name, 0])),
    };
  });

const readReport = (path) => (existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : undefined);

/** The times of a run's files, from its two reports. A suite that did not run has none. */
export function readTimes({ vitest, flows }) {
  const report = readReport(flows);
  return [...(readReport(vitest) ?? []), ...(report ? filesOfFlows(report) : [])];
}

/**
 * `phases`: milliseconds by name. `files`: from `readTimes`. Suites overlap, so the sum of their seconds exceeds the
 * run's.
 */
export function renderTimes({ phases, files }) {
  const suites = [...new Set(files.map(({ suite }) => suite))].map((name) => {
    const own = files.filter(({ suite }) => suite === name);
    const begin = Math.min(...own.map(({ startedAt }) => startedAt));
    const end = Math.max(...own.map(({ endedAt }) => endedAt));
    const spent = SPENT.map((what) => sum(own.map((file) => file.spent[what])));
    const times = [
      end - begin,
      sum(own.map(({ importMs }) => importMs)),
      sum(own.map(({ testsMs }) => testsMs)),
      ...spent,
    ];
    return [name, String(own.length), String(sum(own.map(({ tests }) => tests))), ...times.map(seconds)];
  });
  const lengthOf = ({ importMs, testsMs }) => importMs + testsMs;
  const slowest = files
    .toSorted((one, other) => lengthOf(other) - lengthOf(one))
    .slice(0, SLOWEST)
    .map((file) => [
      file.file,
      ...[file.importMs, file.testsMs, ...SPENT.map((what) => file.spent[what])].map(seconds),
    ]);
  return [
    "Seconds by suite. From its first file to its last; then, summed over files that ran side by side: imports, tests with",
    "their hooks, the processor time of their process, and how much went into databases, gateways, servers, polls and fixed waits.",
    tableOf(["suite", "files", "tests", "seconds", "imports", "in tests", ...SPENT], suites),
    "",
    `The ${slowest.length} slowest files:`,
    tableOf(["file", "imports", "in tests", ...SPENT], slowest),
    "",
    Object.entries(phases)
      .map(([name, ms]) => `${name} ${Math.round(ms / 1_000)} s`)
      .join(", "),
  ].join("\n");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(renderTimes(readReport(process.argv[2] ?? TIMES)));
}
