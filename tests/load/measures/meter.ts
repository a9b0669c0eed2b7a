import { treeCpuMicros } from "./process-tree";

/** Processor time in microseconds; NaN where the system does not tell, or PostgreSQL runs elsewhere. */
export type Cpu = { own: number; database: number };

/** For each of so many calls or events. */
export const shareOf = ({ own, database }: Cpu, count: number): Cpu => ({
  own: own / count,
  database: database / count,
});

export const allOf = ({ own, database }: Cpu): number => own + database;

const microsOf = (pid: number | null) => (pid === null ? null : treeCpuMicros(pid)) ?? Number.NaN;

/** What `run` took of a server's processor, and of PostgreSQL's: all their processes together. */
export async function metered<T>(pids: { own: number; database: number | null }, run: () => Promise<T>) {
  const look = (): Cpu => ({ own: microsOf(pids.own), database: microsOf(pids.database) });
  const before = look();
  const result = await run();
  const after = look();
  return { result, cpu: { own: after.own - before.own, database: after.database - before.database } };
}
