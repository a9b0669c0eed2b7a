import { join } from "node:path";
import { Worker, type WorkerOptions } from "node:worker_threads";

/** Set by the entries of `dist/` (scripts/entries), for the copy of the code that Next has in the same process, too. */
const KEY = Symbol.for("tollgate.folder");
const shared = globalThis as typeof globalThis & { [KEY]?: string };

/**
 * The folder in which migrations have the path that they have in the project: `dist/`, or the project itself, in whose
 * folder tests, `npm run dev` and plain `next start` run.
 */
export const programFolder = (): string => shared[KEY] ?? process.cwd();

/**
 * A thread of the file that `npm run build` has made of `name.ts`; null: nothing has been built, the source is there.
 * Made in a way that Next does not see through: it would look for the file, everywhere.
 */
export const builtThread = (name: string, options: WorkerOptions): Worker | null =>
  shared[KEY] === undefined ? null : Reflect.construct(Worker, [join(shared[KEY], `${name}.js`), options]);
