/**
 * Milliseconds of processor time that this thread has used. Bounds on work are taken from it and not from a clock: on
 * a machine that is busy with something else, time passes and work does not.
 */
export function cpuTimeMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
