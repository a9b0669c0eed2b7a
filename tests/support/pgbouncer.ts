import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "./free-port";

/** Set if there is a pgbouncer; without one, `pooler.ts` replaces it. */
export const pgbouncerProgram = process.env.PGBOUNCER;

/** A user other than root, who may not run it. */
const NOBODY = 65_534;

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  const answers = await once(socket, "connect").then(
    () => true,
    () => false,
  );
  socket.destroy();
  return answers;
}

/** A pgbouncer in front of a database. `settings`: lines of its configuration. */
export async function startPgbouncer(program: string, databaseUrl: string, settings: string[]) {
  const { hostname, port, username, password, pathname } = new URL(databaseUrl);
  const name = pathname.slice(1);
  const own = await freePort();
  const directory = mkdtempSync(join(tmpdir(), "tollgate-pgbouncer-"));
  chmodSync(directory, 0o755);
  const file = join(directory, "pgbouncer.ini");
  const target = `host=${hostname} port=${port} dbname=${name} user=${username} password=${password}`;
  const lines = ["listen_addr = 127.0.0.1", `listen_port = ${own}`, "unix_socket_dir =", "auth_type = any"];
  writeFileSync(
    file,
    ["[databases]", `${name} = ${target}`, "[pgbouncer]", ...lines, ...settings].join("\n"),
  );
  const as = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const child = spawn(program, ["-q", file], { stdio: "ignore", ...as });
  const exited = once(child, "exit");
  for (let tries = 0; tries < 100 && !(await isListening(own)); tries++) {
    await sleep(50);
  }
  return {
    url: `postgres://${username}@127.0.0.1:${own}/${name}`,
    close: async () => {
      child.kill("SIGKILL");
      await exited;
    },
  };
}
