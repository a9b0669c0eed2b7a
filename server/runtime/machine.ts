import { readFileSync } from "node:fs";
import { totalmem } from "node:os";
import process from "node:process";

/** The resources that limit calls. `memoryBytes`: for all processes. `descriptors`: open files for each process. */
export type Machine = { memoryBytes: number; descriptors: number };

/** The limit of open files where the system has none, or does not say. */
const UNLIMITED = 1_048_576;

/** Node raises the soft limit to the hard one when it starts, so that the two are the same here. */
function descriptorsOf(): number {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return soft === undefined ? UNLIMITED : Number(soft);
  } catch {
    // Not Linux. The report has the same figure, and takes some milliseconds.
    const report = process.report?.getReport() as
      | { userLimits?: { open_files?: { soft?: unknown } } }
      | undefined;
    const soft = Number(report?.userLimits?.open_files?.soft);
    return Number.isFinite(soft) ? soft : UNLIMITED;
  }
}

/** A container's limit, if it is below the machine's memory; without a limit the system names a huge number or 0. */
const memoryOf = (): number => Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);

let machine: Machine | null = null;

export function thisMachine(): Machine {
  machine ??= { memoryBytes: memoryOf(), descriptors: descriptorsOf() };
  return machine;
}
