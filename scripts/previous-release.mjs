// The previous release, from the history: tests bundle its functions for money (tests/previous-release/entry.ts),
// `npm run test:upgrade` builds all of it.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { build } from "esbuild";

const ENTRY = "tests/previous-release/entry.ts";
const CACHE = "node_modules/.cache/previous-release";

/** The commit, version and schema of the previous release, written by `scripts/keep-release.mjs`. */
export const previousRelease = JSON.parse(readFileSync("tests/previous-release/about.json", "utf8"));

/** Modules of `entry.ts` that the previous release has in another folder. */
const MOVED = ["metrics", "shares"];

const git = (args, env = {}) =>
  spawnSync("git", args, {
    encoding: "utf8",
    timeout: 60_000,
    env: { ...process.env, GIT_TERMINAL_PROMPT: "0", ...env },
  });

const FETCHES = 60;

/** Fetches a commit into a shallow clone; returns git's errors. */
async function fetchCommit(name) {
  for (let count = 1; ; count++) {
    const { stderr } = git(["fetch", "--quiet", "--no-tags", "--depth=1", "origin", name]);
    // Git allows only one process at a time, and another test file may be fetching.
    if (count === FETCHES || !stderr.includes("shallow.lock")) {
      return stderr;
    }
    await sleep(1_000);
  }
}

/** The full hash of a commit. A shallow clone fetches a commit that it lacks. Throws where git does not get the commit. */
export async function findCommit(name) {
  const find = () => git(["rev-parse", "--verify", "--quiet", `${name}^{commit}`]);
  let found = find();
  let failure = found.error?.message ?? found.stderr;
  if (found.status !== 0 && git(["rev-parse", "--is-shallow-repository"]).stdout?.trim() === "true") {
    failure = await fetchCommit(name);
    found = find();
  }
  if (found.status !== 0) {
    throw new Error(
      `The release before this one is built from commit ${name}, which git does not find here. It needs a clone: a ` +
        `whole one, or a shallow one after \`git fetch --depth=1 origin ${name}\`. ${failure}`.trim(),
    );
  }
  return found.stdout.trim();
}

/** Writes a commit's files of these paths below `folder`. It uses its own index, so this checkout stays unchanged. */
export function writeFilesOf(commit, folder, paths = ["."]) {
  mkdirSync(folder, { recursive: true });
  const index = join(mkdtempSync(join(tmpdir(), "tollgate-index-")), "index");
  const { status, stderr } = git(["--work-tree", folder, "checkout", commit, "--", ...paths], {
    GIT_INDEX_FILE: index,
  });
  rmSync(join(index, ".."), { recursive: true, force: true });
  if (status !== 0) {
    throw new Error(`git does not write the files of ${commit}: ${stderr}`);
  }
}

/**
 * Bundles the functions of the previous release that `entry.ts` names, and returns the path of the file. It takes a
 * second and is cached in node_modules/.cache. Two processes that build at once write the same file, each by a
 * rename.
 */
export async function buildRooms() {
  const { commit } = previousRelease;
  const entry = createHash("sha256").update(readFileSync(ENTRY)).digest("hex");
  const file = resolve(CACHE, `${commit.slice(0, 12)}-${entry.slice(0, 12)}.mjs`);
  if (existsSync(file)) {
    return file;
  }
  mkdirSync(CACHE, { recursive: true });
  const source = mkdtempSync(join(tmpdir(), "tollgate-rooms-"));
  try {
    writeFilesOf(await findCommit(commit), source, ["server", "package.json"]);
    cpSync(ENTRY, join(source, "entry.ts"));
    // It uses this checkout's packages, which stay outside the bundle.
    symlinkSync(resolve("node_modules"), join(source, "node_modules"));
    const outfile = resolve(CACHE, `${process.pid}.mjs`);
    await build({
      entryPoints: [join(source, "entry.ts")],
      absWorkingDir: source,
      alias: {
        "@": source,
        ...Object.fromEntries(
          MOVED.map((name) => [`@/server/domain/${name}`, join(source, `server/base/${name}.ts`)]),
        ),
      },
      outfile,
      bundle: true,
      format: "esm",
      platform: "node",
      target: "node22",
      packages: "external",
      logLevel: "warning",
    });
    renameSync(outfile, file);
  } finally {
    rmSync(source, { recursive: true, force: true });
  }
  return file;
}
