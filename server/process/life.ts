import { type ChildProcess, fork } from "node:child_process";
import type { ToChild, ToParent } from "./messages";

/** One process, from its start to its end. */
export type Life = {
  send: (message: ToChild) => void;
  kill: () => void;
  pid: number | undefined;
};

/** How a process ended; `words`: its own message. */
export type ProcessEnd = { words: string | null; how: string };

/** Starts a process. `path`: of its program. */
export function begin(
  { path, args }: { path: string; args: string[] },
  hears: { onMessage: (message: ToParent) => void; onEnd: (end: ProcessEnd) => void },
): Life {
  const child: ChildProcess = fork(path, args, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  let words: string | null = null;
  let how: string | null = null;
  let hasLeft = false;
  // The last message of a process may come after its exit, and before its channel closes.
  const end = () => {
    if (how !== null && hasLeft) {
      hears.onEnd({ words, how });
    }
  };
  child.on("message", (message: ToParent) => {
    if (message.kind === "failed") {
      words = message.words;
    }
    hears.onMessage(message);
  });
  // A process that cannot be started has no exit.
  child.on("error", (error) => child.pid === undefined && hears.onEnd({ words, how: String(error) }));
  child.on("disconnect", () => {
    hasLeft = true;
    end();
  });
  child.on("exit", (code, signal) => {
    how = signal ?? `exit code ${code}`;
    end();
  });
  return {
    // If the process ends meanwhile, its exit is noticed elsewhere.
    send: (message) => void (child.connected && child.send(message, () => {})),
    kill: () => void child.kill("SIGKILL"),
    pid: child.pid,
  };
}
