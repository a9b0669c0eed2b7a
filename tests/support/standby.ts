/** A PostgreSQL and a standby that follows it, both real. */
import { spawn } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import postgres from "postgres";
import { startEmbeddedPostgres } from "@/server/db/embedded";
import { makeCertificate } from "./certificate";
import { dataDirectory } from "./database";
import { freePort } from "./free-port";
import { killTree } from "./process-tree";
import { until } from "./until";

/** Starts a standby of the server at `url` from a copy of its files that was made while it was stopped. */
async function startStandby(
  copy: string,
  { url, program, uid }: { url: string; program: string; uid: number },
) {
  const port = await freePort();
  const own = new URL(url);
  const from = `host=${own.hostname} port=${own.port} user=${own.username} password=${own.password} application_name=standby`;
  writeFileSync(join(copy, "standby.signal"), "");
  rmSync(join(copy, "postmaster.pid"), { force: true });
  appendFileSync(join(copy, "postgresql.auto.conf"), `\nprimary_conninfo = '${from}'\n`);
  const { gid } = statSync(copy);
  for (const path of ["", ...readdirSync(copy, { recursive: true, encoding: "utf8" })]) {
    chownSync(join(copy, path), uid, gid);
  }
  // PostgreSQL refuses a directory that other users may enter, and the copy's mode depends on the umask.
  chmodSync(copy, 0o700);
  const child = spawn(
    program,
    ["-D", copy, "-c", `port=${port}`, "-c", "max_connections=200", "-c", "unix_socket_directories="],
    { uid, gid, cwd: "/", stdio: "ignore" },
  );
  own.port = String(port);
  const sql = postgres(own.href, { max: 1, onnotice: () => {} });
  await until(async () => (await sql`select 1`.catch(() => [])).length === 1, 30_000);
  return { url: own.href, sql, stop: () => void child.kill("SIGQUIT") };
}

/** From its next start on the server also accepts connections with TLS. */
async function offerTls(data: string, uid: number): Promise<void> {
  const { cert, key } = await makeCertificate();
  for (const [name, content] of [
    ["server.crt", cert],
    ["server.key", key],
  ] as const) {
    writeFileSync(join(data, name), content, { mode: 0o600 });
    chownSync(join(data, name), uid, statSync(data).gid);
  }
  appendFileSync(join(data, "postgresql.auto.conf"), "\nssl = on\n");
}

/** `wayOf`: returns the address by which the standby reaches the primary. */
export async function startPrimaryAndStandby(wayOf = async (url: string) => url) {
  const home = mkdtempSync(join(tmpdir(), "tollgate-standby-"));
  // PostgreSQL's own user enters it: its files are there, and not in a directory that outlasts the test.
  chmodSync(home, 0o711);
  const first = await startEmbeddedPostgres(join(home, "data"), () => {});
  const data = await dataDirectory(first.url);
  const [pid] = readFileSync(join(data, "postmaster.pid"), "utf8").split("\n");
  const program = readlinkSync(`/proc/${pid}/exe`);
  const { uid } = statSync(`/proc/${pid}`);
  await first.stop();
  await offerTls(data, uid);
  const copy = join(dirname(data), "standby");
  cpSync(data, copy, { recursive: true });
  const primary = await startEmbeddedPostgres(join(home, "data"), () => {});
  const standby = await startStandby(copy, { url: await wayOf(primary.url), program, uid });
  return {
    primary,
    standby,
    /** The certificate's file, which both servers use. */
    certificate: join(data, "server.crt"),
    /** Ends the primary as a power cut does: it sends the standby nothing more. */
    killPrimary: async () => {
      const [postmaster] = readFileSync(join(data, "postmaster.pid"), "utf8").split("\n");
      const stopped = primary.stop();
      await killTree(Number(postmaster));
      await stopped;
    },
    close: async () => {
      await standby.sql.end();
      standby.stop();
      await primary.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
