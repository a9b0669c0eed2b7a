// The last output of `.ci/run`: each failed test with its error and its seed, and the counts. Often only the end of a
// log is kept. The arguments are a file with the name of each failed step, the output of `npm run check`, and reports
// of Vitest (tests/support/run-report.ts) and of Playwright; a missing report is a failure.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const ERROR_LENGTH = 1_500;

/** The flows of a Playwright suite, and of its nested suites, that did not pass at the first attempt. */
const failuresOfPlaywright = ({ suites = [], specs = [] }) => [
  ...suites.flatMap(failuresOfPlaywright),
  ...specs.flatMap(({ file, title, tests }) =>
    tests
      .filter(({ status }) => status === "unexpected" || status === "flaky")
      .map(({ results }) => ({
        title: `${file} > ${title}`,
        error: results.flatMap(({ errors }) => errors.map(({ message }) => message)).join("\n"),
      })),
  ),
];

/** The errors that ended a Playwright run outside its flows, for example when the server did not start. */
const runErrorsOf = ({ errors = [] }) =>
  errors.map(({ message = "" }) => ({ title: "flows", error: message }));

/** The failed checks in the output of `npm run check`: each check's output, then its result. */
export const failedChecks = (text) =>
  text
    .split(/(?<=^(?:passed|FAILED): .*\n)/m)
    .flatMap((words) =>
      [...(/^FAILED: (.*), \d+ s$/gm.exec(words) ?? [])]
        .slice(1)
        .map((title) => ({ title, error: words.trim() })),
    );

/** `{ passed, failures }` of a report. */
export function summarise(report) {
  return "failures" in report
    ? report
    : { passed: report.stats.expected, failures: [...runErrorsOf(report), ...failuresOfPlaywright(report)] };
}

/** A failure in words. The seed comes first, because the end of a long error is cut off. */
export function describeFailure({ title, error }) {
  const [, seed] = /seed[^-\w]{1,3}(-?\d+)/i.exec(`${title} ${error}`) ?? [];
  return `FAILED ${title}\n${seed ? `seed ${seed}\n` : ""}${error.slice(0, ERROR_LENGTH)}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [steps, checks, ...paths] = process.argv.slice(2);
  const results = paths.map((path) =>
    existsSync(path)
      ? summarise(JSON.parse(readFileSync(path, "utf8")))
      : { passed: 0, failures: [{ title: path, error: "This part of the run wrote no report." }] },
  );
  const failures = [
    ...failedChecks(readFileSync(checks, "utf8")),
    ...results.flatMap((result) => result.failures),
  ];
  if (failures.length === 0) {
    const error = "It names no reason: read above for an error outside its tests.";
    const failed = readFileSync(steps, "utf8").split("\n").filter(Boolean);
    failures.push(...failed.map((title) => ({ title, error })));
  }
  for (const failure of failures) {
    console.log(describeFailure(failure));
  }
  const passed = results.reduce((sum, result) => sum + result.passed, 0);
  console.log(`${passed} passed, ${failures.length} failed`);
}
