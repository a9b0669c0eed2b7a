import { join } from "node:path";
import { Worker, type WorkerOptions } from "node:worker_threads";

/** Set by the entries of `dist/` (scripts/entries), also for the copy of the code that Next has in the same process. */
const KEY = Symbol.for("tollgate.folder");
const shared = globalThis as typeof globalThis & { [KEY]?: string };

/**
 * The folder in which migrations have the path that they have in the project: `dist/`, or the project folder, in which
 * tests, `npm run dev` and plain `next start` run.
 */
export const programFolder = (): string => shared[KEY] ?? process.cwd();

/**
 * A worker thread of the file that `npm run build` makes of `name.ts`; null: nothing is built, and the source exists.
 * Constructed in a way that hides the file from Next, which would otherwise search for it everywhere.
 */
export const builtThread = (name: string, options: WorkerOptions): Worker | null =>
  shared[KEY] === undefined ? null : Reflect.construct(Worker, [join(shared[KEY], `${name}.js`), options]);
