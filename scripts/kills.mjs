// `npm run test:kills -- [--kills 1000] [--seed N]`: builds stale parts, then kills a server, its processes and its
// PostgreSQL under load, in the order of the seed (tests/faults/kills.test.ts).
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import { buildConsole, buildServer } from "./build.mjs";

const { values } = parseArgs({ options: { kills: { type: "string" }, seed: { type: "string" } } });

await buildServer();
await buildConsole();
const flags = ["run", "--project", "faults", "--disableConsoleIntercept", "tests/faults/kills.test.ts"];
const { status } = spawnSync(process.execPath, ["node_modules/vitest/vitest.mjs", ...flags], {
  stdio: "inherit",
  env: {
    ...process.env,
    ...(values.kills && { KILLS: values.kills }),
    ...(values.seed && { KILLS_SEED: values.seed }),
  },
});
process.exit(status ?? 1);
