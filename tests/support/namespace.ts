/** A separate view of the file system for one process, if the machine allows it. */
import { spawn } from "node:child_process";
import { once } from "node:events";

/** The folders of such programs, whatever our PATH is. */
const PATH = `${process.env.PATH ?? ""}:/usr/sbin:/usr/bin:/sbin:/bin`;

const quoted = (word: string) => `'${word.replaceAll("'", "'\\''")}'`;

/**
 * A command with mounts that no other process sees; `mounts` is a line of the shell. Without root, that line has root's
 * rights in a user namespace, and the command itself runs as the original user again.
 */
export function withMounts(mounts: string, command: string[]): [string, ...string[]] {
  const isRoot = process.getuid?.() === 0;
  const back = `unshare -U --map-user=${process.getuid?.()} --map-group=${process.getgid?.()}`;
  const run = `${isRoot ? "" : `${back} `}${command.map(quoted).join(" ")}`;
  const flags = isRoot ? "-m" : "-rm";
  return ["/usr/bin/env", `PATH=${PATH}`, "unshare", flags, "sh", "-c", `${mounts} && exec ${run}`];
}

/** Whether such a command succeeds here. */
export async function canMount(mounts: string, command: string[]): Promise<boolean> {
  if (process.platform !== "linux") {
    return false;
  }
  const [program, ...words] = withMounts(mounts, command);
  const child = spawn(program, words, { stdio: "ignore", timeout: 15_000 });
  const [code] = (await once(child, "exit").catch(() => [1])) as [number | null];
  return code === 0;
}
