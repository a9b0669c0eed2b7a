import { writeFile } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { TLSSocket } from "node:tls";
import { expect, test } from "vitest";
import { migrateDatabase, openDatabase } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import { makeCertificate } from "@/tests/support/certificate";
import { freshDatabase } from "@/tests/support/database";
import { listen } from "@/tests/support/listen";
import { perFile, temporaryDirectory } from "@/tests/support/per-file";

const directory = temporaryDirectory();
const cert = join(directory, "cert.pem");

/** Adds PostgreSQL's TLS to a server without it: answers the request with `S`, then forwards the decrypted bytes. */
async function startTls(databaseUrl: string) {
  const own = await makeCertificate();
  await writeFile(cert, own.cert);
  const target = new URL(databaseUrl);
  const server = createServer((raw: Socket) => {
    raw.on("error", () => {});
    raw.once("data", () => {
      raw.write("S");
      const inside = new TLSSocket(raw, { isServer: true, ...own });
      const database = connect(Number(target.port), target.hostname);
      inside.on("error", () => database.destroy());
      database.on("error", () => inside.destroy());
      inside.pipe(database).pipe(inside);
    });
  });
  const url = new URL(databaseUrl);
  const port = await listen(server);
  const at = (host: string, query: string) => {
    url.host = `${host}:${port}`;
    return `${url.href}?${query}`;
  };
  return { at, close: () => void server.close() };
}

const tls = perFile(async () => await startTls(await freshDatabase()));

async function reach(url: string): Promise<string> {
  const db = openDatabase(url);
  try {
    await sqlOf(db)`select 1`;
    return "reached";
  } catch (error) {
    return String((error as { code?: string }).code);
  } finally {
    await db.close();
  }
}

test("a connection verifies the server's certificate as strictly as sslmode asks", async () => {
  const root = `&sslrootcert=${cert}`;
  expect(await reach(tls.at("localhost", "sslmode=require"))).toBe("reached");
  expect(await reach(tls.at("localhost", `sslmode=verify-full${root}`))).toBe("reached");
  expect(await reach(tls.at("127.0.0.1", `sslmode=verify-ca${root}`))).toBe("reached");
  expect(await reach(tls.at("localhost", "sslmode=verify-full"))).toMatch(/SELF_SIGNED/);
  expect(await migrateDatabase(tls.at("localhost", `sslmode=verify-full${root}`), "drizzle")).toEqual([]);
});
