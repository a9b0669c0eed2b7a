import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { cpus } from "node:os";
import type { Question, Told } from "./messages";

/** A process that the bench started. */
export type Server = {
  url: string;
  /** Processor time that it has used so far, in seconds; null where the system does not tell. */
  cpuSeconds: () => number | null;
  ask: <T>(question: Question) => Promise<T>;
  stop: () => Promise<void>;
};

const started = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of started) {
    child.kill("SIGKILL");
  }
});

const canPin =
  cpus().length > 1 && spawnSync("taskset", ["-c", "0", "true"], { stdio: "ignore" }).status === 0;
/** Where things run, for the report. */
export const placement = canPin
  ? "each server under test on core 0; load generator, upstream and PostgreSQL on the others"
  : "not pinned: there is no `taskset`, or only one core";

/** Moves this process, and so PostgreSQL and whatever else it starts, off the core of the servers under test. */
export function leaveFirstCore(): void {
  if (canPin) {
    spawnSync("taskset", ["-a", "-c", "-p", `1-${cpus().length - 1}`, String(process.pid)], {
      stdio: "ignore",
    });
  }
}

type Program = {
  args: string[];
  env?: Record<string, string>;
  /** On the core of the servers under test. */
  isPinned: boolean;
};

/** Starts Node. Its output is dropped: a log line costs its formatting and a write, but no disk. */
export function startNode({ args, env, isPinned }: Program): ChildProcess {
  const command = isPinned && canPin ? ["taskset", "-c", "0", process.execPath] : [process.execPath];
  const [program = process.execPath, ...before] = command;
  const child = spawn(program, [...before, ...args], {
    env: { PATH: process.env.PATH ?? "", NODE_ENV: "production", ...env },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  started.add(child);
  child.once("exit", () => started.delete(child));
  return child;
}

/** utime and stime, the 14th and 15th field of Linux's `/proc/<pid>/stat`, in hundredths of a second. */
function readCpuSeconds(pid: number | undefined): number | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return null;
  }
}

export async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
  }
}

export const serverOf = (child: ChildProcess, url: string): Server => ({
  url,
  cpuSeconds: () => readCpuSeconds(child.pid),
  ask: async <T>(question: Question) => {
    const told = nextMessage(child);
    child.send(question);
    const message = await told;
    return ("answer" in message ? message.answer : null) as T;
  },
  stop: () => stopChild(child),
});

async function nextMessage(child: ChildProcess): Promise<Told> {
  const gone = new AbortController();
  const ended = once(child, "exit", { signal: gone.signal }).then(() => {
    throw new Error(`a server of the bench ended: ${child.spawnargs.join(" ")}`);
  });
  try {
    const [told] = (await Promise.race([once(child, "message", { signal: gone.signal }), ended])) as [Told];
    return told;
  } finally {
    ended.catch(() => {});
    gone.abort();
  }
}

/** Starts one of our own server programs (see `serveBench`) and waits until it listens. */
export async function startServer(program: Program): Promise<Server> {
  const child = startNode(program);
  const told = await nextMessage(child);
  if (!("port" in told)) {
    throw new Error("a server of the bench did not say where it listens");
  }
  return serverOf(child, `http://127.0.0.1:${told.port}`);
}
