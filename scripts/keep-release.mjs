// `node scripts/keep-release.mjs <commit>`: keeps what a release does with money, as one file, so that tests can
// have it serve beside the next one where there is no history (tests/previous-release). Run when a release is made.
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "esbuild";

const KEPT = "tests/previous-release";

const commit = execFileSync("git", ["rev-parse", "--verify", `${process.argv[2] ?? "HEAD"}^{commit}`], {
  encoding: "utf8",
}).trim();
const source = mkdtempSync(join(tmpdir(), "tollgate-release-"));
try {
  const archive = execFileSync("git", ["archive", commit, "server", "drizzle", "package.json"], {
    maxBuffer: 2 ** 30,
  });
  const { status } = spawnSync("tar", ["-x", "-C", source], { input: archive });
  if (status !== 0) {
    throw new Error("the release's source could not be unpacked");
  }
  // Its packages are this checkout's, and stay outside.
  symlinkSync(resolve("node_modules"), join(source, "node_modules"));
  cpSync(join(KEPT, "entry.ts"), join(source, "entry.ts"));
  await build({
    entryPoints: [join(source, "entry.ts")],
    absWorkingDir: source,
    alias: { "@": source },
    outfile: resolve(KEPT, "rooms.mjs"),
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node22",
    packages: "external",
    // Names stay, for whoever reads a stack.
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: "none",
    banner: { js: `// Made by scripts/keep-release.mjs of ${commit}; do not edit.` },
  });
  const schema = readdirSync(join(source, "drizzle"))
    .filter((name) => name.endsWith(".sql"))
    .sort()
    .at(-1)
    ?.replace(/\.sql$/, "");
  const { version: release } = JSON.parse(readFileSync(join(source, "package.json"), "utf8"));
  writeFileSync(join(KEPT, "about.json"), `${JSON.stringify({ release, commit, schema }, null, 2)}\n`);
} finally {
  rmSync(source, { recursive: true, force: true });
}
