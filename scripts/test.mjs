// `npm test`: unit, contract, integration and recorded tests (flags go to vitest) during the console's build; then,
// in parallel with them, the `@smoke` flows in a browser. The table of times comes last and is kept in test-times/.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readTimes, renderTimes, TIMES } from "./test-times.mjs";

const LONGER = ["faults", "upgrade", "regions"].flatMap((name) => ["--project", `!${name}`]);
const VITEST = ["node_modules/vitest/vitest.mjs", "run", ...LONGER];
const FLOWS = ["node_modules/@playwright/test/cli.js", "test", "--project=flows", "--grep", "@smoke"];
const reports = {
  vitest: "test-times/vitest.json",
  flows: process.env.PLAYWRIGHT_JSON_OUTPUT_FILE ?? "test-times/flows.json",
};
const folder = mkdtempSync(join(tmpdir(), "tollgate-run-"));
/** Tests that start the built server wait until it says "done" (tests/support/process.ts). */
const BUILD_FILE = join(folder, "build");
const phases = {};

/** Runs a script to its end and records its time; returns its exit code. */
async function run(name, [script, ...flags], env = {}) {
  const startedAt = Date.now();
  const child = spawn(process.execPath, [script, ...flags], {
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, ...env },
  });
  const code = await new Promise((resolve) => {
    child.once("exit", (status) => resolve(status ?? 1));
  });
  phases[name] = Date.now() - startedAt;
  return code;
}

async function buildThenFlows() {
  const built = await run("build", ["scripts/build.mjs"]);
  writeFileSync(BUILD_FILE, built === 0 ? "done" : "failed");
  return built === 0 ? await run("flows", FLOWS, { PLAYWRIGHT_JSON_OUTPUT_FILE: reports.flows }) : built;
}

const startedAt = Date.now();
mkdirSync("test-times", { recursive: true });
for (const path of Object.values(reports)) {
  rmSync(path, { force: true });
}
const codes = await Promise.all([
  run("tests", [...VITEST, ...process.argv.slice(2)], { BUILD_FILE }),
  buildThenFlows(),
]);
rmSync(folder, { recursive: true });
phases["all together"] = Date.now() - startedAt;
const times = { at: new Date(startedAt).toISOString(), phases, files: readTimes(reports) };
writeFileSync(TIMES, JSON.stringify(times));
console.log(renderTimes(times));
process.exit(Math.max(...codes));
