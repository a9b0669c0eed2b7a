import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import postgres from "postgres";
import { migrateDatabase } from "@/server/db";
import { canMount, withMounts } from "./namespace";

/** Enough for PostgreSQL itself and some time of traffic. */
const DISK_MEGABYTES = 600;
/** Connections at a time: each is a process of the database. */
const COME_TOGETHER = 20;

/** A PostgreSQL that only this test uses, so that the test can exhaust it. */
export type OwnDatabase = Awaited<ReturnType<typeof startOwnDatabase>>;

/** Clients that connect until there is no room for another, and stay. */
function createCrowd(url: string) {
  const clients: postgres.Sql[] = [];
  const enter = async (): Promise<boolean> => {
    const client = postgres(url, { max: 1, onnotice: () => {}, connection: { application_name: "crowd" } });
    try {
      await client`select 1`;
      clients.push(client);
      return true;
    } catch {
      await client.end({ timeout: 1 });
      return false;
    }
  };
  const fill = async () => {
    for (let isRoom = true; isRoom; ) {
      isRoom = (await Promise.all(Array.from({ length: COME_TOGETHER }, enter))).every(Boolean);
    }
  };
  return {
    come: async () => {
      for (let left = 1; left > 0; ) {
        await fill();
        const [first] = clients;
        const ended = first
          ? await first`
              select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tollgate'`
          : [];
        left = ended.length;
      }
    },
    leave: async () => {
      await Promise.all(clients.splice(0).map((client) => client.end({ timeout: 1 })));
    },
  };
}

/** With the schema of this release. */
export async function startOwnDatabase() {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-own-"));
  chmodSync(folder, 0o711);
  const mounts = `mount -t tmpfs -o size=${DISK_MEGABYTES}m,mode=1777 tmpfs '${folder}'`;
  const hasDisk = await canMount(mounts, ["true"]);
  const command = [process.execPath, "tests/support/own-database-process.mjs", folder];
  const [program, ...words] = hasDisk ? withMounts(mounts, command) : command;
  const child = spawn(program ?? "", words, { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const tell = async (line: string) => {
    child.stdin.write(`${line}\n`);
    await lines.next();
  };
  const url = String((await lines.next()).value);
  await migrateDatabase(url, "drizzle");
  const crowd = createCrowd(url);
  return {
    url,
    /** Its disk, if this machine allows a small one. */
    disk: hasDisk ? { fill: () => tell("fill"), free: () => tell("free") } : null,
    /** Other clients take all of its connections, and the product's connections end. */
    crowd: crowd.come,
    leave: crowd.leave,
    close: async () => {
      const ended = once(child, "exit");
      child.stdin.end();
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
