// `npm run page-speed -- [--calls 30000,1000000] [--keep DIR] [--rounds 5] [--only REGEXP]`: the time to the first row
// of every page of the built console, and of its lists, over installations with so many calls. It makes each in a
// folder that is kept for the next run, and writes the tables into docs/console-speed.md, unless `--only` left pages
// out.
import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { buildConsole, buildServer } from "./build.mjs";
import { runPlaywright } from "./playwright.mjs";

const { values } = parseArgs({
  options: {
    calls: { type: "string", default: "30000,1000000,10000000" },
    keep: { type: "string", default: join(tmpdir(), "tollgate-speed") },
    rounds: { type: "string", default: "5" },
    only: { type: "string", default: "" },
  },
});

await buildServer();
await buildConsole();
const folder = resolve(values.keep);
for (const calls of values.calls.split(",")) {
  const kept = join(folder, calls);
  mkdirSync(kept, { recursive: true });
  const status = runPlaywright("page-speed", [], {
    E2E_KEPT_DIR: kept,
    SPEED_CALLS: calls,
    SPEED_ROUNDS: values.rounds,
    SPEED_ONLY: values.only,
  });
  if (status !== 0) {
    process.exit(status);
  }
}
