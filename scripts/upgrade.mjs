// `npm run test:upgrade -- [--from COMMIT] [--previous DIR] [--rows 1000000] [--seconds 15]`: builds the previous
// release (the commit in tests/previous-release, or `--from`; `--previous`: a folder with its build) and this one,
// and lets both serve one database under load (tests/upgrade).
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { buildConsole, buildServer } from "./build.mjs";
import { findCommit, previousRelease, writeFilesOf } from "./previous-release.mjs";

const { values } = parseArgs({
  options: {
    from: { type: "string" },
    previous: { type: "string" },
    rows: { type: "string" },
    seconds: { type: "string" },
  },
});

/** Builds the previous release with the packages of that release's lock file. The build is kept for the next run. */
async function buildPrevious() {
  const commit = await findCommit(values.from ?? previousRelease.commit);
  const folder = join(tmpdir(), `tollgate-release-${commit.slice(0, 12)}`);
  if (existsSync(join(folder, "dist", "main.js"))) {
    return folder;
  }
  writeFilesOf(commit, folder);
  for (const args of [
    ["ci", "--no-fund", "--no-audit"],
    ["run", "build"],
  ]) {
    const { status } = spawnSync("npm", args, { cwd: folder, stdio: "inherit" });
    if (status !== 0) {
      throw new Error(`the release before this one is not built: npm ${args.join(" ")} failed in ${folder}`);
    }
  }
  return folder;
}

const previous = values.previous === undefined ? await buildPrevious() : resolve(values.previous);
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
