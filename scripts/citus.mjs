// `npm run test:citus -- --citus <bin of a PostgreSQL that has Citus> [files]`, or CITUS_BIN: starts a coordinator
// and two workers in a temporary directory, and runs tests against them, each on a distributed database
// (docs/citus.md). scripts/citus-suite.mjs lists the tests that cannot run there, with reasons. Without a path it
// says so and succeeds.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { buildConsole, buildServer } from "./build.mjs";
import { FILES, NOT_THERE } from "./citus-suite.mjs";

const WORKERS = 2;

/** The user to run PostgreSQL as: it refuses to run as root. */
function unprivileged() {
  if (process.getuid?.() !== 0) {
    return {};
  }
  const rows = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"));
  const row = rows.find(([name]) => name === "postgres") ?? rows.find(([name]) => name === "nobody");
  return { uid: Number(row?.[2]), gid: Number(row?.[3]) };
}

async function freePort() {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address();
  probe.close();
  await once(probe, "close");
  return port;
}

/** Starts a server in its own directory. Only this machine can reach it. */
async function startNode(bin, directory) {
  const identity = unprivileged();
  mkdirSync(directory, { mode: 0o700 });
  if (identity.uid !== undefined) {
    chownSync(directory, identity.uid, identity.gid);
  }
  const run = (program, args) =>
    execFileSync(join(bin, program), args, { ...identity, cwd: "/", stdio: "pipe" });
  run("initdb", [
    `--pgdata=${directory}`,
    "--username=tollgate",
    "--auth=trust",
    "--encoding=UTF8",
    "--locale=C",
    "-N",
  ]);
  const port = await freePort();
  const settings = {
    port,
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    shared_preload_libraries: "citus",
    max_connections: 400,
    // A charge on two nodes is a two-phase commit, and Citus has its own worker for each database.
    max_prepared_transactions: 400,
    max_worker_processes: 100,
    shared_buffers: "128MB",
    "citus.node_conninfo": "sslmode=disable",
    log_min_messages: "fatal",
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const child = spawn(join(bin, "postgres"), ["-D", directory, ...flags], {
    ...identity,
    cwd: "/",
    detached: true,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const isUp = () =>
    spawnSync(join(bin, "pg_isready"), ["-h", "127.0.0.1", "-p", String(port)], { stdio: "ignore" })
      .status === 0;
  for (let tries = 0; tries < 300 && child.exitCode === null && !isUp(); tries++) {
    await sleep(100);
  }
  if (!isUp()) {
    throw new Error(`PostgreSQL does not start in ${directory}`);
  }
  const stop = async () => {
    if (child.exitCode === null) {
      child.kill("SIGINT");
      await Promise.race([once(child, "exit"), sleep(10_000, undefined, { ref: false })]);
    }
  };
  return { url: `postgres://tollgate@127.0.0.1:${port}/postgres`, stop };
}

const { values, positionals } = parseArgs({
  options: { citus: { type: "string" } },
  allowPositionals: true,
});
const bin = values.citus ?? process.env.CITUS_BIN;
if (!bin) {
  console.log("The tests on Citus did not run: --citus names the bin directory of a PostgreSQL that has it.");
  process.exit(0);
}
await buildServer();
await buildConsole();
const directory = mkdtempSync(join(tmpdir(), "tollgate-citus-"));
chmodSync(directory, 0o711);
const nodes = [];
let status = 1;
try {
  for (let node = 0; node <= WORKERS; node++) {
    nodes.push(await startNode(bin, join(directory, `node-${node}`)));
  }
  const [coordinator, ...workers] = nodes.map(({ url }) => url);
  const files = positionals.length > 0 ? positionals : FILES;
  const except = NOT_THERE.map(({ test }) => test.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const child = spawn(
    process.execPath,
    [
      ...["node_modules/vitest/vitest.mjs", "run", "--project", "server"],
      ...(except.length > 0 ? ["-t", `^(?!.*(${except.join("|")}))`] : []),
      ...files,
    ],
    {
      stdio: "inherit",
      // A history of the laws takes ten times as long here.
      env: { LAW_RUNS: "12", ...process.env, DATABASE_URL: coordinator, CITUS_WORKERS: workers.join(",") },
    },
  );
  // A signal ends the tests; then the servers are stopped.
  for (const signal of ["SIGINT", "SIGTERM"]) {
    process.on(signal, () => child.kill(signal));
  }
  [status] = await once(child, "exit");
} finally {
  await Promise.all(nodes.map((node) => node.stop()));
  rmSync(directory, { recursive: true, force: true });
}
for (const { test, why } of NOT_THERE) {
  console.log(`not run on Citus: ${test}: ${why}`);
}
process.exit(status ?? 1);
