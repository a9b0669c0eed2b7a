import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { createUser } from "@/server/access";
import { loadConfig } from "@/server/base/config";
import { loadSecrets } from "@/server/base/secrets";
import { createVault, type Vault } from "@/server/base/vault";
import { verifyLedger } from "@/server/billing";
import { saveModel } from "@/server/catalog";
import { addChannel } from "@/server/channels";
import { type Database, migrateDatabase, openDatabase } from "@/server/db";
import { startEmbeddedPostgres } from "@/server/db/embedded";
import { sqlOf } from "@/server/db/handles";
import { migrationsFolder } from "@/server/runtime/runtime";
import { addCustomer, money } from "@/tests/support/customer";
import { freePort } from "@/tests/support/free-port";
import { deliveries, modelOf } from "./chat";
import { type CoreGroup, type Program, startServer, startStranger, stopAll } from "./processes";

/** The surroundings of the servers under test: an upstream, and a database with a customer in it. */
export type World = Awaited<ReturnType<typeof createWorld>>;

/** The secrets of every gateway of the bench. */
export const SECRETS = {
  AUTH_SECRET: "a".repeat(32),
  ENCRYPTION_KEY: "e".repeat(32),
  KEY_PEPPER: "p".repeat(32),
};
const programs = new URL("./", import.meta.url).pathname;

/** A new database on the server of DATABASE_URL, otherwise on an embedded one in its own directory. */
async function createDatabase() {
  const external = process.env.DATABASE_URL;
  const directory = await mkdtemp(join(tmpdir(), "tollgate-bench-"));
  const server = external
    ? { url: external, stop: async () => {} }
    : await startEmbeddedPostgres(directory, () => {});
  const admin = postgres(server.url, { max: 1, onnotice: () => {} });
  const name = `tollgate_bench_${process.pid}`;
  await admin.unsafe(`create database ${name}`);
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  await migrateDatabase(url.href, migrationsFolder());
  return {
    url: url.href,
    directory,
    drop: async () => {
      await admin.unsafe(`drop database if exists ${name} with (force)`);
      await admin.end();
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function addUpstream(db: Database, options: { url: string; vault: Vault }) {
  const models = deliveries.map(modelOf);
  for (const id of models) {
    await saveModel(db, {
      id,
      kind: "chat",
      isEnabled: true,
      // It limits a call, and the longest stream of the bench has 160,000 words.
      maxOutputTokens: 1_000_000,
      inputPrice: money("1"),
      outputPrice: money("2"),
    });
  }
  await addChannel(
    db,
    {
      name: "chat",
      dialect: "openai",
      baseUrl: `${options.url}/v1`,
      secrets: ["upstream-secret"],
      models: Object.fromEntries(models.map((id) => [id, id])),
    },
    options.vault,
  );
}

const secretsOf = (databaseUrl: string) => loadSecrets(loadConfig({ ...SECRETS, DATABASE_URL: databaseUrl }));

export async function createWorld() {
  const database = await createDatabase();
  const upstreamProgram = { args: [`${programs}upstream-server.js`] };
  const upstream = await startServer({ ...upstreamProgram, place: "other cores" });
  const db = openDatabase(database.url, { connections: 2, patientConnections: 2 });
  const { keyPepper, encryptionKey } = secretsOf(database.url);
  await addUpstream(db, { url: upstream.url, vault: createVault(encryptionKey) });
  const newCustomer = () => addCustomer(db, keyPepper, { name: `bench ${randomUUID()}`, quota: "1000000" });
  const customer = await newCustomer();
  const env = { ...SECRETS, DATABASE_URL: database.url, LOG_LEVEL: process.env.LOG_LEVEL ?? "info" };
  return {
    ...{ upstream, databaseUrl: database.url, db, secret: customer.secret },
    startUpstream: () => startServer({ ...upstreamProgram, place: "first core" }),
    startVideoUpstream: () =>
      startServer({ args: [`${programs}video-upstream-server.js`], place: "other cores" }),
    /**
     * The server as it is built. `processes`: WEB_CONCURRENCY. `settings`: variables over those of the bench. `place`:
     * by default the first core for one process, all cores for several.
     */
    startTollgate: async ({
      processes = 1,
      settings = {},
      place = processes === 1 ? "first core" : "all cores",
    }: {
      processes?: number;
      settings?: Record<string, string>;
      place?: CoreGroup;
    } = {}) => {
      const port = await freePort();
      const own = { WEB_CONCURRENCY: String(processes), PORT: String(port) };
      const program: Program = {
        args: ["dist/main.js"],
        env: { ...env, TOLLGATE_DATA_DIR: join(database.directory, `server-${port}`), ...own, ...settings },
        place,
      };
      return await startStranger(program, { port, path: "/readyz" });
    },
    /** Only the gateway, in one process, with a billing that writes nothing. */
    startNoLedger: () => startServer({ args: [`${programs}gateway-server.js`], env, place: "first core" }),
    /** Makes new accounts with a key each. Returns the keys. */
    addCustomers: async (count: number) => {
      const secrets: string[] = [];
      while (secrets.length < count) {
        secrets.push((await newCustomer()).secret);
      }
      return secrets;
    },
    addOwner: async () => {
      const user = { email: `${randomUUID()}@bench.example`, password: randomUUID() };
      await createUser(db, { ...user, accountId: customer.accountId });
      return user;
    },
    /** Throws unless the ledger has exactly this number of charges, each once, at one price. */
    expectCharged: async (count: number) => {
      const [row] = await sqlOf(db)<{ charges: number; prices: number }[]>`
        select count(*)::int as charges, count(distinct amount)::int as prices
        from ledger_entries where kind = 'capture'`;
      const drift = (await verifyLedger(db)).length;
      if (row?.charges !== count || row.prices !== 1 || drift !== 0) {
        throw new Error(`${count} calls: ${JSON.stringify(row)}, ${drift} figures that drift`);
      }
    },
    /** Also ends all programs that were started in it. */
    close: async () => {
      await stopAll();
      await db.close();
      await database.drop();
    },
  };
}
