import { existsSync, readFileSync } from "node:fs";

/**
 * Milliseconds of processor time that this thread has used. Bounds on work are taken from it and not from a clock: on
 * a machine that is busy with something else, time passes and work does not.
 */
export function cpuTimeMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/**
 * Milliseconds of processor time that another process has used; where the system does not tell (it is not Linux), or
 * the process is on another machine, the clock.
 */
export function cpuTimeOfMs(pid: number): number {
  const path = `/proc/${pid}/schedstat`;
  return existsSync(path) ? Number(readFileSync(path, "utf8").split(" ")[0]) / 1e6 : performance.now();
}
