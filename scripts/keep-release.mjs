// `node scripts/keep-release.mjs <commit>`: records that release as the previous one, with which tests run the next
// one side by side (scripts/previous-release.mjs builds it). Run when a release is made.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { basename } from "node:path";
import { findCommit } from "./previous-release.mjs";

const git = (...args) => execFileSync("git", args, { encoding: "utf8" });

const commit = await findCommit(process.argv[2] ?? "HEAD");
const { version: release } = JSON.parse(git("show", `${commit}:package.json`));
const migrations = git("ls-tree", "--name-only", commit, "drizzle/")
  .split("\n")
  .filter((name) => name.endsWith(".sql"))
  .sort();
const schema = basename(migrations.at(-1) ?? "", ".sql");
writeFileSync(
  "tests/previous-release/about.json",
  `${JSON.stringify({ release, commit, schema }, null, 2)}\n`,
);
