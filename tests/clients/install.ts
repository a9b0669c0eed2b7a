import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommand } from "./command";
import type { Program } from "./program";

const SECONDS = 900;

async function installFrom(directory: string, { npm = [], pypi = [] }: Program): Promise<string | null> {
  const run = (command: string[]) =>
    runCommand(command, { cwd: directory, env: process.env, seconds: SECONDS });
  const steps = [
    ...(npm.length > 0 ? [["npm", "install", "--no-audit", "--no-fund", ...npm]] : []),
    ...(pypi.length > 0
      ? [
          ["python3", "-m", "venv", "venv"],
          ["venv/bin/pip", "install", "--quiet", ...pypi],
        ]
      : []),
  ];
  await writeFile(join(directory, "package.json"), "{}");
  for (const step of steps) {
    const { code, output } = await run(step);
    if (code !== 0) {
      return `${step.slice(0, 2).join(" ")}: ${output.trim().split("\n").at(-1)}`;
    }
  }
  return null;
}

/**
 * Directories with programs. Each program is installed once from its registry. `CLIENT_INSTALLS` names a directory that
 * keeps them for the next run.
 */
export async function openInstalls() {
  const kept = process.env.CLIENT_INSTALLS;
  const root = kept ?? (await mkdtemp(join(tmpdir(), "tollgate-programs-")));
  return {
    /** The directory of the program, or why it could not be installed. */
    install: async (program: Program): Promise<{ directory: string } | { fault: string }> => {
      const packages = [...(program.npm ?? []), ...(program.pypi ?? [])];
      const directory = join(root, packages.join("+").replace(/[^a-zA-Z0-9.+=-]/g, "_"));
      await mkdir(directory, { recursive: true });
      if ((await readdir(directory)).length > 0) {
        return { directory };
      }
      const fault = await installFrom(directory, program);
      if (fault !== null) {
        await rm(directory, { recursive: true, force: true });
      }
      return fault === null ? { directory } : { fault };
    },
    close: async () => {
      if (kept === undefined) {
        await rm(root, { recursive: true, force: true });
      }
    },
  };
}
