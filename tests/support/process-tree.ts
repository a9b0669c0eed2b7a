/** The processes of this machine: which ones run, their parents, and how to end them. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import type { ServerProcess } from "./process";
import { until } from "./until";

type ProcessRow = { pid: number; parent: number; state: string };

const row = (line: string): ProcessRow => {
  const [pid = "", parent = "", state = ""] = line.trim().split(/\s+/);
  return { pid: Number(pid), parent: Number(parent), state };
};

/** `/proc/<pid>/stat` as a line of `ps`: the text in brackets is a name, which may contain spaces and brackets. */
function statLine(pid: string): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [state, parent] = stat
      .slice(stat.lastIndexOf(")") + 1)
      .trim()
      .split(" ");
    return [`${pid} ${parent} ${state}`];
  } catch {
    // It has ended meanwhile.
    return [];
  }
}

/** Small images have no `ps`, and only Linux has `/proc`. */
const isLinux = process.platform === "linux";

const processLines = (): string[] =>
  isLinux
    ? readdirSync("/proc")
        .filter((name) => /^\d+$/.test(name))
        .flatMap(statLine)
    : execFileSync("ps", ["-e", "-o", "pid=,ppid=,stat="], { encoding: "utf8" }).trim().split("\n");

const processes = (): ProcessRow[] => processLines().map(row);

const findProcess = (pid: number): ProcessRow | undefined =>
  isLinux ? statLine(String(pid)).map(row)[0] : processes().find((entry) => entry.pid === pid);

/** Whether a process runs; a zombie does not. */
export const isRunning = (pid: number): boolean => findProcess(pid)?.state.startsWith("Z") === false;

export function programOf(pid: number): string {
  try {
    return isLinux
      ? readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")
      : execFileSync("ps", ["-o", "args=", "-p", String(pid)], { encoding: "utf8" });
  } catch {
    // It has ended meanwhile.
    return "";
  }
}

/** A server's own processes by their names, the parent first, without its database. */
export function familyOf({ child }: ServerProcess): { name: string; pid: number }[] {
  const parent = child.pid ?? 0;
  const children = processes().flatMap((row) => {
    const [, name] = row.parent === parent ? (/dist\/\w+\.js (\S+)/.exec(programOf(row.pid)) ?? []) : [];
    return name === undefined ? [] : { name, pid: row.pid };
  });
  return [{ name: "parent", pid: parent }, ...children];
}

const LISTENING = "0A";

/** The inodes of this machine's listening sockets, from the tables of the kernel. */
const listeningInodes = (): Set<string> =>
  new Set(
    ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((table) =>
      readFileSync(table, "utf8")
        .split("\n")
        .map((line) => line.trim().split(/\s+/))
        .flatMap(([, , , state, , , , , , inode = ""]) => (state === LISTENING ? [inode] : [])),
    ),
  );

/** Whether a process accepts connections of TCP. On systems without `/proc`: whether it runs. */
export function isListening(pid: number): boolean {
  if (!isLinux) {
    return isRunning(pid);
  }
  try {
    const inodes = listeningInodes();
    return readdirSync(`/proc/${pid}/fd`).some((fd) => {
      const [, inode] = /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`)) ?? [];
      return inode !== undefined && inodes.has(inode);
    });
  } catch {
    // It has ended, or has closed a file meanwhile.
    return false;
  }
}

export function killHard(pid: number): void {
  if (!(pid > 1)) {
    // The process does not exist; 0 would mean every process of ours.
    throw new Error(`there is no process ${pid} to kill`);
  }
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") {
      throw error;
    }
  }
}

async function killAll(pids: number[]): Promise<void> {
  pids.forEach(killHard);
  await until(() => !pids.some(isRunning));
}

/** Kills all of a server's own processes without a warning, and waits until they are gone. */
export async function killFamily(server: ServerProcess): Promise<void> {
  await killAll(familyOf(server).map(({ pid }) => pid));
  const { child } = server;
  await until(() => child.signalCode !== null || child.exitCode !== null);
}

export const childrenOf = (parent: number): number[] =>
  processes().flatMap((row) => (row.parent === parent ? row.pid : []));

export const parentOf = (pid: number): number => findProcess(pid)?.parent ?? 0;

/** Kills a process and all of its children at once, for example PostgreSQL's. */
export const killTree = (parent: number): Promise<void> => killAll([parent, ...childrenOf(parent)]);
