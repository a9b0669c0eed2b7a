/**
 * The default database: a real PostgreSQL whose binaries come with an npm package, run as a child of this process.
 * Hides the unprivileged user that PostgreSQL requires, directories that this user cannot reach, and the orphan that a
 * killed run leaves.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, readlinkSync, realpathSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { COMMAND_LINE } from "@/server/base/command-line";
import { ConfigError } from "@/server/base/config";
import { type Home, prepareHome } from "./embedded-home";
import { answers, freePort, isAlive } from "./embedded-probes";
import { findRecord, type OwnerKind, type Running, saveRecord, urlOf } from "./embedded-record";

const RESTART_AFTER_MS = 500;

export type EmbeddedPostgres = { url: string; stop: () => Promise<void> };

/** Runs one of PostgreSQL's programs and returns its output; throws with the output if it failed. */
async function run(home: Home, program: string, args: string[]): Promise<string> {
  const child = spawn(join(home.binaries, program), args, {
    ...home.identity,
    cwd: "/",
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stdout.on("data", (text) => (output += text));
  child.stderr.on("data", (text) => (output += text));
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) {
    throw new Error(`${program} failed: ${output.trim()}`);
  }
  return output;
}

/** Stops the server that a killed run left, and removes a stale lock file. */
async function clearOrphan(home: Home): Promise<void> {
  const lockFile = join(home.data, "postmaster.pid");
  if (!existsSync(lockFile)) {
    return;
  }
  const pid = Number((await readFile(lockFile, "utf8")).split("\n")[0]);
  // SIGINT is PostgreSQL's fast shutdown; SIGQUIT the immediate one, as a last resort. After both the directory
  // recovers.
  for (const [signal, waits] of [
    ["SIGINT", 100],
    ["SIGQUIT", 50],
  ] as const) {
    for (let wait = 0; wait < waits && isPostmasterOf(home, pid); wait++) {
      if (wait === 0) {
        process.kill(pid, signal);
      }
      await sleep(100);
    }
  }
  await rm(lockFile, { force: true });
}

/**
 * Whether a process is the server of this data directory. The lock file outlives a reboot, and another process may have
 * its number by then, even another PostgreSQL: ours works in its data directory and was started with its path.
 */
function isPostmasterOf(home: Home, pid: number): boolean {
  try {
    return process.platform === "linux"
      ? readlinkSync(`/proc/${pid}/cwd`) === realpathSync(home.data)
      : execFileSync("ps", ["-o", "args=", "-p", String(pid)], { encoding: "utf8" }).includes(home.data);
  } catch {
    // The process does not exist, or we may not inspect it.
    return false;
  }
}

async function initialise(home: Home, password: string): Promise<void> {
  const passwordFile = join(dirname(home.data), "initdb-password");
  await writeFile(passwordFile, password, { mode: 0o600 });
  await home.own(passwordFile);
  try {
    const flags = [
      "--username=tollgate",
      "--auth=scram-sha-256",
      "--encoding=UTF8",
      "--locale=C",
      "--data-checksums",
    ];
    await run(home, "initdb", [`--pgdata=${home.data}`, `--pwfile=${passwordFile}`, ...flags]);
  } finally {
    await rm(passwordFile, { force: true });
  }
}

function launch(home: Home, port: number): ChildProcess {
  const settings = {
    port,
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    max_connections: 200,
    shared_buffers: "256MB",
    max_wal_size: "2GB",
    // The balance rows are rewritten constantly and their tables are tiny.
    autovacuum_naptime: "15s",
    log_min_messages: "fatal",
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  // Its own process group: a Ctrl-C in the terminal goes to us, and we then stop the server in order.
  return spawn(join(home.binaries, "postgres"), ["-D", home.data, ...flags], {
    ...home.identity,
    cwd: "/",
    detached: true,
    stdio: "ignore",
  });
}

async function waitUntilReady(url: string): Promise<boolean> {
  for (let tries = 0; tries < 300; tries++) {
    if (await answers(url)) {
      return true;
    }
    await sleep(100);
  }
  return false;
}

/** Runs the server, and restarts it if it dies by itself, until `stop`. */
function supervise(home: Home, port: number): { stop: () => Promise<void> } {
  let stopping = false;
  let child = launch(home, port);
  const watch = () =>
    child.once("exit", () => {
      if (!stopping) {
        setTimeout(() => {
          child = launch(home, port);
          watch();
        }, RESTART_AFTER_MS);
      }
    });
  const kill = () => void child.kill("SIGINT");
  watch();
  process.once("exit", kill);
  return {
    stop: async () => {
      stopping = true;
      process.off("exit", kill);
      if (child.exitCode === null && child.signalCode === null) {
        const exited = once(child, "exit");
        kill();
        await Promise.race([exited, sleep(10_000, undefined, { ref: false })]);
      }
    },
  };
}

/** The major version of the embedded programs: "18". */
async function majorOf(home: Home): Promise<string> {
  // `postgres (PostgreSQL) 18.4`
  return /\d+/.exec(await run(home, "postgres", ["--version"]))?.[0] ?? "";
}

/** A cluster can be read only by the major version that created it. Throws ConfigError that says what to do. */
async function refuseOtherMajor(home: Home): Promise<void> {
  const kept = (await readFile(join(home.data, "PG_VERSION"), "utf8")).trim();
  const ours = await majorOf(home);
  if (kept !== ours) {
    throw new ConfigError(
      `${home.data} was made by PostgreSQL ${kept}, and this release has PostgreSQL ${ours}. With the release that you ` +
        `had: \`${COMMAND_LINE} db dump --to FILE\`. Then move that folder away, and with this one: ` +
        `\`${COMMAND_LINE} db restore --from FILE\` (docs/backup.md).`,
    );
  }
}

type Starter = { say: (line: string) => void; owner: OwnerKind };

const LOOK_EVERY_MS = 250;
/** Long enough for a command that restores a large dump. */
const LONGEST_WAIT_MS = 6 * 3_600_000;

/** The record of a database that another live process runs. */
async function findLiving(root: string): Promise<Running | null> {
  const record = findRecord(root);
  return record &&
    record.ownerPid !== process.pid &&
    isAlive(record.ownerPid) &&
    (await answers(urlOf(record)))
    ? record
    : null;
}

/**
 * The database to join; null: there is none. A server waits for a command that owns one: the database would end with
 * the command, and the server could not restart it. Throws ConfigError if that takes hours.
 */
async function findJoined(root: string, { say, owner }: Starter): Promise<Running | null> {
  for (let waitedMs = 0; waitedMs < LONGEST_WAIT_MS; waitedMs += LOOK_EVERY_MS) {
    const living = await findLiving(root);
    if (living === null || living.owner === "server" || owner === "command") {
      return living;
    }
    if (waitedMs === 0) {
      say("A command works on the embedded database; this server starts when it is done");
    }
    await sleep(LOOK_EVERY_MS);
  }
  throw new ConfigError("A command has been using the embedded database for hours. Check what it is doing.");
}

/** Writes the record and, the first time, creates the cluster. */
async function prepare(root: string, home: Home, { say, owner }: Starter): Promise<Running> {
  const record = findRecord(root);
  const isMade = existsSync(join(home.data, "PG_VERSION"));
  if (record === null && isMade) {
    throw new ConfigError(
      `${home.data} holds a database whose password is gone with database.json. Restore that file, ` +
        "or remove that folder to start with an empty database.",
    );
  }
  if (isMade) {
    await refuseOtherMajor(home);
  }
  const password = record?.password ?? randomBytes(24).toString("hex");
  const running: Running = { port: await freePort(record?.port), password, ownerPid: process.pid, owner };
  // The password must be on disk before the cluster has it: a kill in between would lock us out.
  await saveRecord(root, running);
  if (!isMade) {
    say("Creating the embedded database");
    await rm(home.data, { recursive: true, force: true });
    await home.makeDirectory(home.data);
    await initialise(home, password);
  }
  // Another program may have got the port during the seconds that creating the cluster took.
  running.port = await freePort(running.port);
  await saveRecord(root, running);
  return running;
}

/**
 * Starts the embedded server of `dataDir`, or joins it if another live process owns it. Restarts a server that dies
 * while we run. `say` gets a line before each long step; `owner`: the kind of this process.
 */
export async function startEmbeddedPostgres(
  dataDir: string,
  say: (line: string) => void,
  owner: OwnerKind = "server",
): Promise<EmbeddedPostgres> {
  const root = resolve(dataDir);
  await mkdir(root, { recursive: true });
  const joined = await findJoined(root, { say, owner });
  if (joined) {
    return { url: urlOf(joined), stop: async () => {} };
  }
  const home = await prepareHome(root, say);
  await clearOrphan(home);
  const running = await prepare(root, home, { say, owner });
  say("Starting the embedded database");
  const server = supervise(home, running.port);
  const adminUrl = urlOf(running).replace(/tollgate$/, "postgres");
  // Supervision also outlasts the shared memory that a killed server's last children may still hold.
  if (!(await waitUntilReady(adminUrl))) {
    await server.stop();
    throw new Error(`the embedded PostgreSQL in ${home.data} does not start`);
  }
  await createDatabase(adminUrl);
  return { url: urlOf(running), stop: server.stop };
}

async function createDatabase(adminUrl: string): Promise<void> {
  const client = postgres(adminUrl, { max: 1, onnotice: () => {} });
  try {
    const rows = await client`select 1 from pg_database where datname = 'tollgate'`;
    if (rows.length === 0) {
      await client`create database tollgate`;
    }
  } finally {
    await client.end({ timeout: 5 });
  }
}
