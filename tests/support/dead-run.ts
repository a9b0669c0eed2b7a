import { spawnSync } from "node:child_process";
import { rename } from "node:fs/promises";
import type { Claim } from "@/server/billing";

/** The number of a process that has ended. */
const endedPid = () => spawnSync(process.execPath, ["-e", ""]).pid;

/** As if the run of a claim had been killed: another process has claimed it, and has ended. Returns the claim's path. */
export async function endRun({ path }: Pick<Claim, "path">): Promise<string> {
  const ended = path.replace(`-${process.pid}-`, `-${endedPid()}-`);
  await rename(path, ended);
  return ended;
}
