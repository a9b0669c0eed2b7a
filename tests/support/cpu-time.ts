import { existsSync, readFileSync } from "node:fs";

/**
 * The processor time of this thread in milliseconds. Limits of work use it instead of a clock: on a busy machine the
 * clock runs on while this thread does not.
 */
export function cpuTimeMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/**
 * The processor time of another process in milliseconds; the clock if the system does not report it (not Linux), or the
 * process is on another machine.
 */
export function cpuTimeOfMs(pid: number): number {
  const path = `/proc/${pid}/schedstat`;
  return existsSync(path) ? Number(readFileSync(path, "utf8").split(" ")[0]) / 1e6 : performance.now();
}
