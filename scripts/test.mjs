// `npm test`: builds, then unit, contract, integration and recorded tests (flags go to vitest), then a story of each
// family of screens in a browser. `npm run test:e2e` runs all of them.
import { spawnSync } from "node:child_process";
import { buildConsole, buildServer } from "./build.mjs";
import { runPlaywright } from "./playwright.mjs";

const times = [];

/** Runs a part of it and keeps how long it took. */
async function timed(name, run) {
  const startedAt = Date.now();
  const result = await run();
  times.push(`${name} ${Math.round((Date.now() - startedAt) / 1_000)} s`);
  return result;
}

await timed("build", async () => {
  await buildServer();
  await buildConsole();
});
const vitest = await timed("tests", () =>
  spawnSync(
    process.execPath,
    [
      "node_modules/vitest/vitest.mjs",
      "run",
      "--project",
      "!faults",
      "--project",
      "!upgrade",
      ...process.argv.slice(2),
    ],
    { stdio: "inherit" },
  ),
);
// Whoever broke both should hear of both at once.
const flows = await timed("flows", () => runPlaywright("flows", ["--grep", "@smoke"]));
console.log(times.join(", "));
process.exit((vitest.status ?? 1) || flows);
