import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { createAccount, issueKey } from "@/server/access";
import { loadConfig } from "@/server/base/config";
import { nanos, parseMoney } from "@/server/base/money";
import { loadSecrets } from "@/server/base/secrets";
import { createVault, type Vault } from "@/server/base/vault";
import { saveModel } from "@/server/catalog";
import { addChannel } from "@/server/channels";
import { type Database, migrateDatabase, openDatabase } from "@/server/db";
import { startEmbeddedPostgres } from "@/server/db/embedded";
import { migrationsFolder } from "@/server/process/runtime";
import { type Dialect, deliveries, dialects, modelOf } from "./dialects";
import { type Server, startServer } from "./processes";

/** Everything that the servers under test need: an upstream, and a database with a customer in it. */
export type World = {
  upstream: Server;
  databaseUrl: string;
  /** The customer's key. */
  secret: string;
  startUpstream: () => Promise<Server>;
  startVideoUpstream: () => Promise<Server>;
  /** `settings`: environment variables over those of the bench. */
  startGateway: (options?: {
    hasLedger?: boolean;
    nodeFlags?: string[];
    settings?: Record<string, string>;
  }) => Promise<Server>;
  close: () => Promise<void>;
};

/** The keys of every gateway of the bench. */
export const SECRETS = {
  AUTH_SECRET: "a".repeat(32),
  ENCRYPTION_KEY: "e".repeat(32),
  KEY_PEPPER: "p".repeat(32),
};
const programs = new URL("./", import.meta.url).pathname;

/** A new database on the server of DATABASE_URL, else on an embedded one in a directory of its own. */
async function createDatabase(): Promise<{ url: string; drop: () => Promise<void> }> {
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
    drop: async () => {
      await admin.unsafe(`drop database if exists ${name} with (force)`);
      await admin.end();
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

const price = (text: string) => parseMoney(text) ?? nanos(0n);
const vendorDialects = { chat: "openai", messages: "anthropic" } as const;

/** A channel to an upstream of this dialect, with the models that the upstream has. */
async function addUpstream(db: Database, dialect: Dialect, options: { url: string; vault: Vault }) {
  const models = deliveries.map((delivery) => modelOf(dialect, delivery));
  for (const id of models) {
    await saveModel(db, {
      id,
      kind: "chat",
      isEnabled: true,
      maxOutputTokens: 1_000,
      inputPrice: price("1"),
      outputPrice: price("2"),
    });
  }
  await addChannel(
    db,
    {
      name: dialect,
      dialect: vendorDialects[dialect],
      baseUrl: `${options.url}/v1`,
      secrets: ["upstream-secret"],
      models: Object.fromEntries(models.map((id) => [id, id])),
    },
    options.vault,
  );
}

async function addCustomer(databaseUrl: string, upstreamUrl: string): Promise<string> {
  const secrets = loadSecrets(loadConfig({ ...SECRETS, DATABASE_URL: databaseUrl }));
  const db = openDatabase(databaseUrl, { connections: 1 });
  for (const dialect of dialects) {
    await addUpstream(db, dialect, { url: upstreamUrl, vault: createVault(secrets.encryptionKey) });
  }
  const account = await createAccount(db, { name: "bench", monthlyQuotaNanos: price("1000000") });
  const key = await issueKey(db, { accountId: account.id, name: "bench" }, secrets.keyPepper);
  await db.close();
  return key.secret;
}

export async function createWorld(): Promise<World> {
  const database = await createDatabase();
  const upstreamProgram = `${programs}upstream-server.js`;
  const upstream = await startServer({ args: [upstreamProgram], isPinned: false });
  const secret = await addCustomer(database.url, upstream.url);
  const env = { ...SECRETS, DATABASE_URL: database.url, LOG_LEVEL: process.env.LOG_LEVEL ?? "info" };
  return {
    upstream,
    databaseUrl: database.url,
    secret,
    startUpstream: () => startServer({ args: [upstreamProgram], isPinned: true }),
    startVideoUpstream: () => startServer({ args: [`${programs}video-upstream-server.js`], isPinned: false }),
    startGateway: ({ hasLedger = true, nodeFlags = [], settings = {} } = {}) => {
      const args = [...nodeFlags, `${programs}gateway-server.js`, ...(hasLedger ? [] : ["--no-ledger"])];
      return startServer({ args, env: { ...env, ...settings }, isPinned: true });
    },
    close: async () => {
      await upstream.stop();
      await database.drop();
    },
  };
}
