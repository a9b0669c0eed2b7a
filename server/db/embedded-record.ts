import { rename, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { z } from "zod";
import { readJsonFile } from "@/server/base/json-file";

const Record = z.object({
  port: z.number(),
  password: z.string().min(1),
  ownerPid: z.number(),
  /**
   * The kind of process that owns the database: a command stops it when it is done. Earlier releases did not write
   * this.
   */
  owner: z.enum(["server", "command"]).default("server"),
});

export type OwnerKind = z.infer<typeof Record>["owner"];

/**
 * The record by which the operator commands and a second process find the embedded server; stored next to its data,
 * mode 0600.
 */
export type Running = z.infer<typeof Record>;

const recordPath = (dataDir: string) => join(resolve(dataDir), "database.json");

export const urlOf = (running: Running) =>
  `postgres://tollgate:${running.password}@127.0.0.1:${running.port}/tollgate`;

/**
 * null: no server was ever started. Throws ConfigError if the file is damaged: without it the data cannot be opened.
 */
export function findRecord(dataDir: string): Running | null {
  return readJsonFile(recordPath(dataDir), Record);
}

/** Replaces the record in one step, so that a reader never sees half of it. */
export async function saveRecord(dataDir: string, running: Running): Promise<void> {
  const partial = `${recordPath(dataDir)}.${process.pid}`;
  await writeFile(partial, JSON.stringify(running), { mode: 0o600 });
  await rename(partial, recordPath(dataDir));
}

/** The address of the embedded server of this data directory, if one was ever started. */
export function findEmbeddedUrl(dataDir: string): string | null {
  const running = findRecord(dataDir);
  return running && urlOf(running);
}
