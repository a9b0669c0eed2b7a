import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Claim } from "@/server/billing";

/** The socket that shows that a claim's run lives. */
export const socketOfRun = ({ path, directory }: Pick<Claim, "path" | "directory">): string =>
  join(directory, `${path.split(".").at(-2)}.sock`);

/** As if the run of a claim had been killed: puts the socket of a killed process in place of this process's. */
export async function endRun(claim: Claim): Promise<void> {
  const socket = socketOfRun(claim);
  await rm(socket);
  const script = "require('node:net').createServer().listen(process.argv[1], () => console.log('up'))";
  const other = spawn(process.execPath, ["-e", script, socket], { stdio: ["ignore", "pipe", "inherit"] });
  await once(other.stdout, "data");
  other.kill("SIGKILL");
  await once(other, "exit");
}
