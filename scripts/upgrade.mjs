// `npm run test:upgrade -- [--from COMMIT] [--previous DIR] [--rows 1000000] [--seconds 15]`: builds the release before
// this one (the commit that tests/previous-release names, or `--from`, out of the history; `--previous`: a folder where
// it is built already) and this one, and has both serve one database under calls (tests/upgrade).
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { buildConsole, buildServer } from "./build.mjs";

const { values } = parseArgs({
  options: {
    from: { type: "string" },
    previous: { type: "string" },
    rows: { type: "string" },
    seconds: { type: "string" },
  },
});

const kept = JSON.parse(readFileSync("tests/previous-release/about.json", "utf8"));
const commit = execFileSync("git", ["rev-parse", "--verify", `${values.from ?? kept.commit}^{commit}`], {
  encoding: "utf8",
}).trim();

/** Packages by its own lock file. What was built once stays for the next time. */
function buildPrevious() {
  const folder = join(tmpdir(), `tollgate-release-${commit.slice(0, 12)}`);
  if (existsSync(join(folder, "dist", "main.js"))) {
    return folder;
  }
  mkdirSync(folder, { recursive: true });
  const archive = execFileSync("git", ["archive", commit], { maxBuffer: 2 ** 30 });
  const steps = [
    ["tar", ["-x"], { input: archive }],
    ["npm", ["ci", "--no-fund", "--no-audit"], { stdio: "inherit" }],
    ["npm", ["run", "build"], { stdio: "inherit" }],
  ];
  for (const [program, args, options] of steps) {
    const { status } = spawnSync(program, args, { cwd: folder, ...options });
    if (status !== 0) {
      throw new Error(
        `the release before this one is not built: ${program} ${args.join(" ")} failed in ${folder}`,
      );
    }
  }
  return folder;
}

const previous = values.previous === undefined ? buildPrevious() : resolve(values.previous);
await buildServer();
await buildConsole();
const { status } = spawnSync(
  process.execPath,
  ["node_modules/vitest/vitest.mjs", "run", "--project", "upgrade", "--disableConsoleIntercept"],
  {
    stdio: "inherit",
    env: {
      ...process.env,
      PREVIOUS_RELEASE: previous,
      ...(values.rows && { UPGRADE_ROWS: values.rows }),
      ...(values.seconds && { UPGRADE_SECONDS: values.seconds }),
    },
  },
);
process.exit(status ?? 1);
