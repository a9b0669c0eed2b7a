// A copy of a revision in a temporary folder, and its tests (`npm run test:mutants`).
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, normalize, relative } from "node:path";

const IMPORT = /^\s*(?:import|export)\b(?!\s+type\b)[^;"]*?"([^"]+)"/gm;

/** Copies a revision; without a revision, the checkout's files that git tracks. */
export function openTree(revision) {
  const git = (...args) => execFileSync("git", args, { maxBuffer: 2 ** 30 });
  const from = revision ?? (git("stash", "create").toString().trim() || "HEAD");
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "tollgate-mutants-")));
  // If we are root, PostgreSQL runs as another user, and its data is in this folder.
  chmodSync(folder, 0o711);
  execFileSync("tar", ["-x", "-C", folder], { input: git("archive", from) });
  symlinkSync(join(process.cwd(), "node_modules"), join(folder, "node_modules"));
  return {
    folder,
    isOlder: revision !== undefined,
    read: (file) => (existsSync(join(folder, file)) ? readFileSync(join(folder, file), "utf8") : null),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function resolveImport(folder, from, name) {
  const path = name.startsWith("@/") ? name.slice(2) : normalize(join(dirname(from), name));
  return [path, `${path}.ts`, `${path}.tsx`, `${path}/index.ts`].find(
    (candidate) => /\.[a-z]+$/.test(candidate) && existsSync(join(folder, candidate)),
  );
}

/** The importers of each file. */
function importersIn({ folder, read }) {
  const importers = new Map();
  for (const file of globSync("{server,app,scripts,tests/support}/**/*.{ts,tsx}", { cwd: folder })) {
    for (const [, name] of read(file).matchAll(IMPORT)) {
      const imported = /^@\/|^\./.test(name) ? resolveImport(folder, file, name) : undefined;
      if (imported !== undefined) {
        importers.set(imported, [...(importers.get(imported) ?? []), file]);
      }
    }
  }
  return importers;
}

/** Returns a function that gives the unit tests that load a source file, directly or through others. */
export function findUnitTests(tree) {
  const importers = importersIn(tree);
  return (source) => {
    const reached = new Set([source]);
    for (const file of reached) {
      for (const importer of importers.get(file) ?? []) {
        reached.add(importer);
      }
    }
    return [...reached].filter((file) => /^(?:server|app|scripts)\/.*\.test\.tsx?$/.test(file)).sort();
  };
}

const namesIn = (text = "") => text.split(/\s+/).filter((name) => name !== "");

function filesOf({ folder, isOlder }, layer, name) {
  const pattern = `tests/${layer}/${name}.test.ts`;
  const files = globSync(pattern, { cwd: folder });
  if (files.length === 0 && !isOlder) {
    throw new Error(`${pattern} is no file`);
  }
  return files;
}

/**
 * The integration and contract tests of a room. For an older tree also tests that no longer exist today; tests that
 * it does not have yet are skipped. Throws if a name has no file.
 */
export const findDoorTests = (tree, room) =>
  ["integration", "contract"].flatMap((layer) =>
    [...namesIn(room[layer]), ...(tree.isOlder ? namesIn(room.gone?.[layer]) : [])]
      .flatMap((name) => filesOf(tree, layer, name))
      .sort(),
  );

const running = new Set();

/** Kills the run and the processes that it has started. */
function end(child) {
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch (error) {
    if (error.code !== "ESRCH") {
      throw error;
    }
  }
}

export const endRuns = () => [...running].forEach(end);

function firstFault({ folder }, report) {
  for (const { name, status, message, assertionResults } of report.testResults) {
    const failed = assertionResults.find((result) => result.status === "failed");
    if (failed || status === "failed") {
      return `${relative(folder, name)}: ${failed?.fullName ?? message.split("\n")[0]}`;
    }
  }
  return "an error outside of tests";
}

/**
 * Runs test files of a tree. `status`: `passed`, `failed`, `timeout`, or `broken` if vitest gave no result. `by`: the
 * first failed test. `bail`: stop there. No project is named, because an older tree has others.
 */
export async function runTests(tree, { files, databaseUrl, timeoutMs, bail = true }) {
  const startedAt = Date.now();
  const report = join(tree.folder, "test-results", "mutant.json");
  rmSync(report, { force: true });
  const args = ["run", "--reporter", "json", "--outputFile", report, ...(bail ? ["--bail", "1"] : [])];
  const child = spawn(
    process.execPath,
    [
      "node_modules/vitest/vitest.mjs",
      ...args,
      ...["--fsModuleCachePath", join(tree.folder, ".vitest-cache"), ...files],
    ],
    {
      cwd: tree.folder,
      detached: true,
      stdio: "ignore",
      env: { ...process.env, DATABASE_URL: databaseUrl, VITEST_JSON_OUTPUT_FILE: "" },
    },
  );
  running.add(child);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    end(child);
  }, timeoutMs);
  const [code] = await once(child, "exit");
  clearTimeout(timer);
  end(child);
  running.delete(child);
  const seconds = (Date.now() - startedAt) / 1_000;
  if (isLate) {
    return { status: "timeout", by: `no end within ${Math.round(timeoutMs / 1_000)} s`, seconds, red: [] };
  }
  if (!existsSync(report)) {
    return { status: "broken", by: `vitest ended with ${code} and no report`, seconds, red: [] };
  }
  const results = JSON.parse(readFileSync(report, "utf8"));
  const red = results.testResults
    .filter(({ status }) => status === "failed")
    .map(({ name }) => relative(tree.folder, name));
  return code === 0
    ? { status: "passed", seconds, red }
    : { status: "failed", by: firstFault(tree, results), seconds, red };
}
