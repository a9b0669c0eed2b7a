import { readFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { treeCpuMicros } from "./process-tree";

/** A share of one core. If other programs use more, the figures need another run. */
const QUIET_SHARE = 0.05;

/**
 * The processor time of all programs on this machine, in microseconds, and the time that its host took; null if
 * unknown.
 */
function machineCpuMicros(): number | null {
  try {
    const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = (
      readFileSync("/proc/stat", "utf8").split("\n")[0] ?? ""
    )
      .split(/\s+/)
      .slice(1)
      .map(Number);
    return (user + nice + system + irq + softirq + steal) * 10_000;
  } catch {
    return null;
  }
}

const others = (databasePid: number | null): number | null => {
  const all = machineCpuMicros();
  const own = treeCpuMicros(process.pid);
  // The embedded PostgreSQL is already included as our child; one of DATABASE_URL is not, and works for us.
  const database = databasePid === null ? 0 : (treeCpuMicros(databasePid) ?? 0);
  return all === null || own === null ? null : all - own - database;
};

/**
 * Watches what other programs use from now on. Returns a function that describes it in a sentence. `databasePid`: of a
 * PostgreSQL on this machine that is not a child of this process.
 */
export function watchOthers(databasePid: number | null): () => string {
  const began = performance.now();
  const before = others(databasePid);
  const [loadBefore = 0] = loadavg();
  return () => {
    const after = others(databasePid);
    if (before === null || after === null) {
      return "Whether the machine was quiet is not known.";
    }
    const share = Math.max(0, (after - before) / 1_000 / (performance.now() - began));
    const used = `other programs used ${share.toFixed(2)} of ${cpus().length} cores`;
    return share <= QUIET_SHARE
      ? `The machine was quiet: ${used}.`
      : `**The machine was not quiet**: ${used}, and the load average was ${loadBefore.toFixed(1)} at the beginning.`;
  };
}
