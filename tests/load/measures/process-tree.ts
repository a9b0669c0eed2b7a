/** Data in Linux's /proc about a process and all its descendants. On other systems they are unknown: null or empty. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

const TICK_MICROS = 10_000;

function read(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // The process has ended meanwhile, or there is no /proc.
    return null;
  }
}

function list(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

/** Fields of /proc/<pid>/stat from the third on; the second, a name in brackets, may contain anything. */
const statOf = (pid: number) => read(`/proc/${pid}/stat`)?.split(") ").at(-1)?.split(" ") ?? null;

export function parentOf(pid: number): number | null {
  const stat = statOf(pid);
  return stat && Number(stat[1]);
}

/** The process, its children, their children, and so on. */
export function treeOf(root: number): number[] {
  const children = new Map<number, number[]>();
  for (const pid of list("/proc").map(Number).filter(Number.isInteger)) {
    const parent = parentOf(pid);
    if (parent !== null) {
      children.set(parent, [...(children.get(parent) ?? []), pid]);
    }
  }
  const tree = [root];
  for (const pid of tree) {
    tree.push(...(children.get(pid) ?? []));
  }
  return tree.filter((pid) => statOf(pid) !== null);
}

/** In nanoseconds by the scheduler, for live threads; in hundredths of a second for all threads that ever ran. */
function ownCpuMicros(pid: number, [utime = 0, stime = 0]: number[]): number {
  const nanos = list(`/proc/${pid}/task`)
    .map((thread) => Number(read(`/proc/${pid}/task/${thread}/schedstat`)?.split(" ")[0] ?? 0))
    .reduce((sum, time) => sum + time, 0);
  return Math.max(nanos / 1_000, (utime + stime) * TICK_MICROS);
}

/** Processor time, user and system, of one process. `ended`: of its children that have ended. */
function cpuMicrosOf(pid: number): { own: number; ended: number } {
  const [utime = 0, stime = 0, endedUser = 0, endedSystem = 0] = statOf(pid)?.slice(11, 15).map(Number) ?? [];
  return { own: ownCpuMicros(pid, [utime, stime]), ended: (endedUser + endedSystem) * TICK_MICROS };
}

/** The processor time of a process and its descendants so far, in microseconds. */
export function treeCpuMicros(root: number): number | null {
  const tree = treeOf(root);
  const times = tree.map(cpuMicrosOf);
  return tree.length === 0 ? null : times.reduce((sum, { own, ended }) => sum + own + ended, 0);
}

/** The process with the most processor time: in a server of several processes, the one that answers calls. */
export function busiestOf(tree: number[]): number | null {
  const [first] = tree
    .map((pid) => ({ pid, micros: cpuMicrosOf(pid).own }))
    .sort((left, right) => right.micros - left.micros);
  return first?.pid ?? null;
}

function statusBytes(pid: number, name: "VmRSS" | "VmHWM"): number | null {
  const kilobytes = read(`/proc/${pid}/status`)?.match(new RegExp(`${name}:\\s+(\\d+) kB`))?.[1];
  return kilobytes === undefined ? null : Number(kilobytes) * 1_024;
}

export const residentBytes = (pid: number): number => statusBytes(pid, "VmRSS") ?? Number.NaN;

/** The largest resident size since `forgetPeak`, as the kernel counts it. */
export const peakBytes = (pid: number): number => statusBytes(pid, "VmHWM") ?? Number.NaN;

/** 5 sets the peak to the present resident size (proc(5), clear_refs). */
export function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
}
