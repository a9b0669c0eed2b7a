import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const DEADLINE_MS = 600_000;

/** Runs one of an installer's programs to its end. Throws its output if it fails. */
export type Installer = (command: string, ...args: string[]) => Promise<void>;

/**
 * A folder with a program that is no dependency of this project. `install` fills it the first time. It is a build
 * product: it is deleted with `dist`.
 */
export async function installed(
  name: string,
  install: (folder: string, installer: Installer) => Promise<void>,
): Promise<string> {
  const folder = resolve("dist/load/installed", name);
  const whole = join(folder, ".whole");
  if (!existsSync(whole)) {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    await install(folder, async (command, ...args) => {
      await run(command, args, { cwd: folder, timeout: DEADLINE_MS });
    });
    await writeFile(whole, "");
  }
  return folder;
}
