import { spawnSync } from "node:child_process";
import { cpus } from "node:os";
import { placement } from "./processes";

const git = (...args: string[]) => {
  const { status, stdout } = spawnSync("git", args, { encoding: "utf8" });
  return status === 0 ? stdout.trim() : null;
};

/** The measured commit. The tables that the bench writes do not count as changes. */
function commit(): string {
  const head = git("rev-parse", "--short=10", "HEAD");
  if (head === null) {
    return "commit unknown";
  }
  const changed = git("status", "--porcelain", "--", ".", ":!docs") !== "";
  return changed ? `commit ${head} with changes` : `commit ${head}`;
}

const COLUMNS = 118;

/** Wraps text like the prose of the page. */
function wrap(text: string): string {
  const lines: string[] = [""];
  for (const word of text.split(/\s+/)) {
    const line = lines.pop() ?? "";
    const longer = line === "" ? word : `${line} ${word}`;
    lines.push(...(longer.length > COLUMNS && line !== "" ? [line, word] : [longer]));
  }
  return lines.join("\n");
}

export const circumstances = (how: string, quiet: string): string =>
  wrap(`Node ${process.versions.node}, ${cpus().length} cores, ${commit()}; ${placement}. ${how} ${quiet}`);
