// `npm run test:regions -- [latency|failover|cut-off|residency]`: builds stale parts, then measures two regions that
// are 80 ms apart, each with its PostgreSQL and its server (tests/regions, docs/regions.md).
import { spawnSync } from "node:child_process";
import { buildConsole, buildServer } from "./build.mjs";

await buildServer();
await buildConsole();
// One file at a time: other load would distort the figures.
const flags = ["run", "--project", "regions", "--disableConsoleIntercept", "--no-file-parallelism"];
const { status } = spawnSync(
  process.execPath,
  ["node_modules/vitest/vitest.mjs", ...flags, `tests/regions/${process.argv[2] ?? ""}`],
  { stdio: "inherit" },
);
process.exit(status ?? 1);
