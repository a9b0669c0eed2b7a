import { treeCpuMicros } from "./process-tree";

/** Processor time in microseconds; NaN if the system does not report it, or PostgreSQL runs on another machine. */
export type Cpu = { own: number; database: number };

/** The processor time for each of `count` calls or events. */
export const shareOf = ({ own, database }: Cpu, count: number): Cpu => ({
  own: own / count,
  database: database / count,
});

export const allOf = ({ own, database }: Cpu): number => own + database;

const microsOf = (pid: number | null) => (pid === null ? null : treeCpuMicros(pid)) ?? Number.NaN;

/** The processor time of a server and of PostgreSQL during `run`, with all their processes. */
export async function metered<T>(pids: { own: number; database: number | null }, run: () => Promise<T>) {
  const look = (): Cpu => ({ own: microsOf(pids.own), database: microsOf(pids.database) });
  const before = look();
  const result = await run();
  const after = look();
  return { result, cpu: { own: after.own - before.own, database: after.database - before.database } };
}
