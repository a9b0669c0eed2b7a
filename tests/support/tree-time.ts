import { readdirSync, readFileSync } from "node:fs";

/** Of `/proc/<pid>/stat`: 100 in a second on every Linux. */
const TICK_MS = 10;

type Spent = { pid: number; parent: number; ms: number };

/** The processor time of a process, with that of its children that have ended. */
function readSpent(pid: string): Spent[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return [{ pid: Number(pid), parent: Number(fields[1]), ms: ticks * TICK_MS }];
  } catch {
    // It has ended meanwhile.
    return [];
  }
}

/** The processor time of a process and all of its descendants, to 10 ms; 0 where there is no `/proc`. */
export function treeTimeMs(root: number): number {
  if (process.platform !== "linux") {
    return 0;
  }
  const all = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap(readSpent);
  const timeOf = (pid: number): number =>
    all
      .filter((each) => each.parent === pid)
      .reduce((sum, child) => sum + timeOf(child.pid), all.find((each) => each.pid === pid)?.ms ?? 0);
  return timeOf(root);
}
