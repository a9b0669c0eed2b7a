/** The writer of a file of charges. The file's name gives it: host, process id, start of the process, token, number. */
import { randomBytes } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { hostname } from "node:os";

const HOST = hostname().replace(/[^a-z0-9-]/gi, "-");
const NAME = /^(?<host>[a-z0-9-]+)\.(?<pid>\d+)\.(?<start>\w+)\.[0-9a-f]+\.\d+\.log$/i;

/** On another host only time tells that a process has ended. */
const ENDED_AFTER_MS = 600_000;

const WRITER = /^(?<host>[a-z0-9-]+)\.(?<pid>\d+)\.(?<start>\w+)\.[0-9a-f]+$/i;

const UNKNOWN_START = "0";

/** null: the system does not say since when it runs, nor when processes started. So do macOS and some sandboxes. */
function readBoot(): string | null {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").replaceAll("-", "").trim();
  } catch {
    return null;
  }
}

const BOOT = readBoot();

/** Processes with the same one have the same numbers for the same processes. null: the system does not say. */
function readNamespace(): string | null {
  try {
    return readlinkSync("/proc/self/ns/pid").replace(/\D/g, "");
  } catch {
    return null;
  }
}

const NAMESPACE = readNamespace();

/** `/proc/PID/stat` has the state and, 20th, the start of a process after its name, which may contain spaces. */
function readStat(text: string): { state: string | undefined; start: string } {
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return { state: fields[0], start: `${fields[19]}b${BOOT}` };
}

const ownStart = () =>
  BOOT === null ? UNKNOWN_START : readStat(readFileSync("/proc/self/stat", "utf8")).start;

/** The beginning of the names of one writer's files. A process may have several writers. */
export const newWriter = () => `${HOST}.${process.pid}.${ownStart()}.${randomBytes(6).toString("hex")}`;

/** The name for a file that its writer has left to others. */
export const leftName = (path: string) => path.replace(/\.log$/, ".left.log");

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== "ESRCH";
  }
}

/** A process that has exited keeps its number until its parent asks how it ended, and some parents never ask. */
const EXITED = ["Z", "X"];

/** Process ids are given out again, after a restart of a container most of all: the start must be the same, too. */
async function isAlive(pid: number, start: string): Promise<boolean> {
  if (BOOT === null) {
    return isRunning(pid);
  }
  try {
    const found = readStat(await readFile(`/proc/${pid}/stat`, "utf8"));
    return found.start === start && !EXITED.includes(found.state ?? "");
  } catch {
    // There is no such process.
    return false;
  }
}

/**
 * `alive`: the writer settles the file itself. `unknown`: it is on another host, so its charges may be settled here, but
 * the file stays. `ended`: the file may be deleted after that.
 */
export type WriterState = "alive" | "unknown" | "ended";

export async function writerOf(name: string, path: string): Promise<WriterState> {
  const { groups } = NAME.exec(name) ?? {};
  if (groups === undefined) {
    return "ended";
  }
  if (groups.host !== HOST) {
    const { mtimeMs } = await stat(path);
    return Date.now() - mtimeMs > ENDED_AFTER_MS ? "ended" : "unknown";
  }
  return (await isAlive(Number(groups.pid), groups.start ?? "")) ? "alive" : "ended";
}

/** Whether the process of a writer has certainly ended. It may still run on another host. */
export async function hasEnded(writer: string): Promise<boolean> {
  const { groups } = WRITER.exec(writer) ?? {};
  return groups?.host === HOST && !(await isAlive(Number(groups.pid), groups.start ?? ""));
}

const WRITTEN = /^[a-z0-9-]+\.(?<pid>\d+)\.(?<start>\w+)\.[0-9a-f]+\.\d+(?:\.left)?\.log$/i;

/** Whether a run may have written a file of this name. */
export function mayBeOf(name: string, run: string): boolean {
  const { groups } = WRITTEN.exec(name) ?? {};
  return groups !== undefined && run.endsWith(`-${groups.pid}-${groups.start}`);
}

/** A live process, for others that may ask whether it has ended. */
export const runOf = (pid: number): string => {
  const start = BOOT === null ? UNKNOWN_START : readStat(readFileSync(`/proc/${pid}/stat`, "utf8")).start;
  return `${NAMESPACE}-${pid}-${start}`;
};

/**
 * Whether a run has certainly ended. Its number means something only on the same kernel and in the same namespace,
 * whatever the host's name is. A process that is stopped, or whose state cannot be read, has not ended.
 */
export async function hasRunEnded(run: string): Promise<boolean> {
  const [namespace, pid, start = ""] = run.split("-");
  if (BOOT === null || NAMESPACE === null || namespace !== NAMESPACE || !start.endsWith(`b${BOOT}`)) {
    return false;
  }
  if (!isRunning(Number(pid))) {
    return true;
  }
  try {
    const found = readStat(await readFile(`/proc/${pid}/stat`, "utf8"));
    return found.start !== start || EXITED.includes(found.state ?? "");
  } catch {
    return false;
  }
}
