import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpus } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { BenchQuestion, ServerMessage } from "./messages";

/** A program that the bench started: one process, or one with children. */
export type Server = {
  url: string;
  /** The process of which the others descend (`measures/process-tree.ts` finds them). */
  pid: number;
  /** Only for programs that serve the bench (`messages.ts`). */
  ask: <T>(question: BenchQuestion) => Promise<T>;
  /** Ends it and its children. */
  stop: () => Promise<void>;
};

/** Where a program runs: a program under test on the first core; a program with several processes on all cores. */
export type CoreGroup = "first core" | "other cores" | "all cores";

export type Program = {
  /** Default: Node. */
  command?: string;
  args: string[];
  env?: Record<string, string>;
  place: CoreGroup;
};

const canPin =
  cpus().length > 1 && spawnSync("taskset", ["-c", "0", "true"], { stdio: "ignore" }).status === 0;
const lists: Record<CoreGroup, string> = {
  "first core": "0",
  "other cores": `1-${cpus().length - 1}`,
  "all cores": `0-${cpus().length - 1}`,
};

export const placement = canPin
  ? "each server under test on core 0; load generator, upstream and PostgreSQL on the others"
  : "not pinned: there is no `taskset`, or only one core";

/** Moves this process, and so PostgreSQL and all its later children, off the core of the servers under test. */
export function leaveFirstCore(): void {
  if (canPin) {
    spawnSync("taskset", ["-a", "-c", "-p", lists["other cores"], String(process.pid)], { stdio: "ignore" });
  }
}

const started = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of started) {
    killGroup(child);
  }
});

/** Each program leads a process group, so that its children end with it. */
function killGroup({ pid }: ChildProcess): void {
  try {
    process.kill(-(pid ?? Number.NaN), "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") {
      throw error;
    }
  }
}

function start({ command = process.execPath, args, env, place }: Program, isOurs: boolean): ChildProcess {
  const [program, ...before] = canPin
    ? (["taskset", "-c", lists[place], command] as const)
    : ([command] as const);
  // Its output is dropped: a log line costs its formatting and a write, but no disk.
  const child = spawn(program, [...before, ...args], {
    env: { PATH: process.env.PATH ?? "", NODE_ENV: "production", ...env },
    stdio: isOurs ? ["ignore", "ignore", "inherit", "ipc"] : "ignore",
    detached: true,
  });
  started.add(child);
  child.once("exit", () => started.delete(child));
  // Without a listener a missing program would end the bench; `pid` is then absent.
  child.once("error", () => started.delete(child));
  return child;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
    const gone = once(child, "exit");
    killGroup(child);
    await gone;
  }
}

/** Ends all programs that the bench has started, with their children. */
export const stopAll = () => Promise.all([...started].map(stop));

function serverOf(child: ChildProcess, url: string): Server {
  if (child.pid === undefined) {
    throw new Error(`${child.spawnfile} cannot be started`);
  }
  return {
    url,
    pid: child.pid,
    ask: async <T>(question: BenchQuestion) => {
      const reply = nextMessage(child);
      child.send(question);
      const message = await reply;
      return ("answer" in message ? message.answer : null) as T;
    },
    stop: () => stop(child),
  };
}

async function nextMessage(child: ChildProcess): Promise<ServerMessage> {
  const gone = new AbortController();
  const ended = once(child, "exit", { signal: gone.signal }).then(() => {
    throw new Error(`a server of the bench ended: ${child.spawnargs.join(" ")}`);
  });
  try {
    const [message] = (await Promise.race([once(child, "message", { signal: gone.signal }), ended])) as [
      ServerMessage,
    ];
    return message;
  } finally {
    ended.catch(() => {});
    gone.abort();
  }
}

/** Starts a server program of the bench (see `serveBench`) and waits until it listens. */
export async function startServer(program: Program): Promise<Server> {
  const child = start(program, true);
  const message = await nextMessage(child);
  if (!("port" in message)) {
    throw new Error("a server of the bench did not say where it listens");
  }
  return serverOf(child, `http://127.0.0.1:${message.port}`);
}

const START_TRIES = 600;

/** Starts any other program on the given port, and waits until it answers `path` with 200. */
export async function startStranger(
  program: Program,
  { port, path }: { port: number; path: string },
): Promise<Server> {
  const child = start(program, false);
  const server = serverOf(child, `http://127.0.0.1:${port}`);
  for (let tries = 0; tries < START_TRIES && child.exitCode === null; tries++) {
    const reply = await fetch(`${server.url}${path}`).catch(() => null);
    await reply?.arrayBuffer();
    if (reply?.ok) {
      return server;
    }
    await sleep(100);
  }
  await server.stop();
  throw new Error(`does not start: ${child.spawnargs.join(" ")}`);
}
