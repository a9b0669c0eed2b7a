/**
 * A directory for the sockets of a running server. No other user may enter it: a program that reaches the console's
 * socket can claim any client address.
 */
import { once } from "node:events";
import { lstatSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigError } from "@/server/base/config";
import type { Log } from "@/server/base/log";

const PREFIX = "tollgate-run-";

/** The parent listens here and sends nothing: while it listens, the directory is in use. */
const ALIVE = "parent";

export type RunDirectory = { path: string; remove: () => void };

const isOurs = (path: string): boolean => {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isDirectory() === true && stats.uid === process.getuid?.();
};

/**
 * Whether no process listens at an existing socket. A process number would not do: another process may have it by now,
 * and it means nothing in another container that has the same directory.
 */
async function isDeserted(path: string): Promise<boolean> {
  const socket = connect(join(path, ALIVE));
  try {
    await once(socket, "connect");
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ECONNREFUSED";
  } finally {
    socket.destroy();
  }
}

/** Removes the directories of parents that were killed. */
async function removeDeserted(parent: string): Promise<void> {
  const paths = readdirSync(parent)
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => join(parent, name));
  for (const path of paths.filter(isOurs)) {
    if (await isDeserted(path)) {
      rmSync(path, { recursive: true, force: true });
    }
  }
}

/** The folder does not exist, may not be written to, or would make a socket's name longer than systems accept. */
const unusable = (parent: string, error: unknown): ConfigError =>
  new ConfigError(
    `The temporary folder ${parent} cannot hold the server's sockets (${(error as Error).message}): set TMPDIR to one ` +
      "that exists, that its user may write to, and whose path is short.",
    { cause: error },
  );

/** Opens a new directory, and removes those that killed servers of this user left. Throws ConfigError in words. */
export async function openRunDirectory(log: Log, parent = tmpdir()): Promise<RunDirectory> {
  let path: string | undefined;
  const sign = createServer((socket) => void socket.destroy());
  try {
    path = mkdtempSync(join(parent, PREFIX));
    await once(sign.listen(join(path, ALIVE)), "listening");
  } catch (error) {
    if (path !== undefined) {
      rmSync(path, { recursive: true, force: true });
    }
    throw unusable(parent, error);
  }
  sign.unref();
  await removeDeserted(parent).catch((error: unknown) =>
    log.warn({ err: error }, "directories of killed servers cannot be removed"),
  );
  const made = path;
  const remove = () => {
    process.off("exit", remove);
    sign.close();
    rmSync(made, { recursive: true, force: true });
  };
  process.once("exit", remove);
  return { path, remove };
}
