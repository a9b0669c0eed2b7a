// What `.ci/run` prints last: each test that failed, with its error, and the counts. Often only the end of a log is kept.
import { readFileSync } from "node:fs";

const [tests, faults, flows] = process.argv.slice(2).map((path) => JSON.parse(readFileSync(path, "utf8")));

/** The failed tests of a report of Vitest: `{ title, error }`. A file that could not be loaded is one of them. */
const failuresOfVitest = ({ testResults }) =>
  testResults.flatMap(({ name, status, message, assertionResults }) => {
    const failed = assertionResults.filter((test) => test.status === "failed");
    return status === "failed" && failed.length === 0
      ? [{ title: name, error: message }]
      : failed.map((test) => ({
          title: `${name} > ${test.fullName}`,
          error: test.failureMessages.join("\n"),
        }));
  });

/** The flows of a suite of Playwright, and of the suites in it, that did not pass at once. */
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

const failures = [...failuresOfVitest(tests), ...failuresOfVitest(faults), ...failuresOfPlaywright(flows)];
for (const { title, error } of failures) {
  console.log(`FAILED ${title}\n${error.slice(0, 1_500)}\n`);
}
const passed = tests.numPassedTests + faults.numPassedTests + flows.stats.expected;
console.log(`${passed} passed, ${failures.length} failed`);
