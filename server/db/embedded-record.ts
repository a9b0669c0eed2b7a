import { existsSync, readFileSync } from "node:fs";
import { rename, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";

/** How the operator commands and a second process find the embedded server; beside its data, mode 0600. */
export type Running = { port: number; password: string; ownerPid: number };

const recordPath = (dataDir: string) => join(resolve(dataDir), "database.json");

export const urlOf = (running: Running) =>
  `postgres://tollgate:${running.password}@127.0.0.1:${running.port}/tollgate`;

export function findRecord(dataDir: string): Running | null {
  const path = recordPath(dataDir);
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Running) : null;
}

/** Replaces the record in one step, so that a reader never sees half of it. */
export async function saveRecord(dataDir: string, running: Running): Promise<void> {
  const partial = `${recordPath(dataDir)}.${process.pid}`;
  await writeFile(partial, JSON.stringify(running), { mode: 0o600 });
  await rename(partial, recordPath(dataDir));
}

/** The address of the embedded server that belongs to this data directory, if one was ever started. */
export function findEmbeddedUrl(dataDir: string): string | null {
  const running = findRecord(dataDir);
  return running && urlOf(running);
}
