// `npm test`: builds, then unit, contract, integration and recorded tests (flags go to vitest), then the flows in a browser.
import { spawnSync } from "node:child_process";
import { buildConsole, buildServer } from "./build.mjs";
import { runPlaywright } from "./playwright.mjs";

await buildServer();
await buildConsole();
const vitest = spawnSync(
  process.execPath,
  ["node_modules/vitest/vitest.mjs", "run", "--project", "!faults", ...process.argv.slice(2)],
  { stdio: "inherit" },
);
// Whoever broke both should hear of both at once.
const flows = runPlaywright("flows", []);
process.exit((vitest.status ?? 1) || flows);
