import { treeCpuMicros } from "./process-tree";

/** Processor time in microseconds; null where the system does not tell, or PostgreSQL runs elsewhere. */
export type Cpu = { own: number | null; database: number | null };

/** For each of so many calls or events. */
export const shareOf = ({ own, database }: Cpu, count: number): Cpu => ({
  own: own === null ? null : own / count,
  database: database === null ? null : database / count,
});

/** NaN where a part of it is not known. */
export const allOf = ({ own, database }: Cpu): number => (own ?? Number.NaN) + (database ?? Number.NaN);

const differenceOf = (after: number | null, before: number | null) =>
  after === null || before === null ? null : after - before;

/** What `run` took of a server's processor, and of PostgreSQL's: all their processes together. */
export async function metered<T>(pids: { own: number; database: number | null }, run: () => Promise<T>) {
  const look = (): Cpu => ({
    own: treeCpuMicros(pids.own),
    database: pids.database === null ? null : treeCpuMicros(pids.database),
  });
  const before = look();
  const result = await run();
  const after = look();
  const cpu = {
    own: differenceOf(after.own, before.own),
    database: differenceOf(after.database, before.database),
  };
  return { result, cpu };
}
