// `npm run test:outages -- [--write]`: measures what clients see while each dependency is down for 30 s
// (tests/faults/outages); with --write the tables go into docs/reliability.md. `npm run test:soak -- [--minutes 30]
// [--seed N]`: random faults.
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import { buildConsole, buildServer } from "./build.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { write: { type: "boolean" }, minutes: { type: "string" }, seed: { type: "string" } },
});

await buildServer();
await buildConsole();
// One file at a time: other load would distort the figures.
const flags = ["run", "--project", "faults", "--disableConsoleIntercept", "--no-file-parallelism"];
const { status } = spawnSync(
  process.execPath,
  ["node_modules/vitest/vitest.mjs", ...flags, `tests/faults/${positionals[0]}`],
  {
    stdio: "inherit",
    env: {
      ...process.env,
      ...(values.write && { OUTAGES_WRITE: "yes" }),
      ...(positionals[0] === "soak" && { SOAK_MINUTES: values.minutes ?? "30" }),
      ...(values.seed && { SOAK_SEED: values.seed }),
    },
  },
);
process.exit(status ?? 1);
