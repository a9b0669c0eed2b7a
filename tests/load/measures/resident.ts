import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import type { Server } from "../processes";
import { residentBytes, treeOf } from "./process-tree";

/** The variables of a server whose processes collect their garbage when they get SIGUSR2. */
export const collecting = {
  NODE_OPTIONS: `--expose-gc --import=${pathToFileURL(resolve("tests/load/collect-on-signal.mjs")).href}`,
};

/** The resident bytes of each process of a `collecting` server, after it has collected its garbage. */
export async function collectedOf({ pid }: Server): Promise<{ pid: number; bytes: number }[]> {
  const tree = treeOf(pid);
  for (const processId of tree) {
    process.kill(processId, "SIGUSR2");
  }
  await sleep(1_000);
  return tree.map((processId) => ({ pid: processId, bytes: residentBytes(processId) }));
}

export const sumOf = (processes: { bytes: number }[]): number =>
  processes.reduce((sum, { bytes }) => sum + bytes, 0);
