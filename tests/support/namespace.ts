/** A view of the file system of a process's own, where the machine lets us give it one. */
import { spawn } from "node:child_process";
import { once } from "node:events";

/** Where such programs are, whatever PATH we were given. */
const PATH = `${process.env.PATH ?? ""}:/usr/sbin:/usr/bin:/sbin:/bin`;

const quoted = (word: string) => `'${word.replaceAll("'", "'\\''")}'`;

/**
 * A command with mounts that nobody else sees; `mounts` is a line of the shell. Who has not root's rights has them for
 * that line in a user namespace, and is who he was again when the command runs.
 */
export function withMounts(mounts: string, command: string[]): [string, ...string[]] {
  const isRoot = process.getuid?.() === 0;
  const back = `unshare -U --map-user=${process.getuid?.()} --map-group=${process.getgid?.()}`;
  const run = `${isRoot ? "" : `${back} `}${command.map(quoted).join(" ")}`;
  const flags = isRoot ? "-m" : "-rm";
  return ["/usr/bin/env", `PATH=${PATH}`, "unshare", flags, "sh", "-c", `${mounts} && exec ${run}`];
}

/** Whether such a command ends well here. */
export async function canMount(mounts: string, command: string[]): Promise<boolean> {
  if (process.platform !== "linux") {
    return false;
  }
  const [program, ...words] = withMounts(mounts, command);
  const child = spawn(program, words, { stdio: "ignore", timeout: 15_000 });
  const [code] = (await once(child, "exit").catch(() => [1])) as [number | null];
  return code === 0;
}
