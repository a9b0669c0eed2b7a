import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { migrateDatabase } from "@/server/db";
import { startEmbeddedPostgres } from "@/server/db/embedded";
import { dropCare } from "./carefree";
import { distributeTemplate, joinNodes, type Nodes, onEach, urlOf, workersOf } from "./nodes";

declare module "vitest" {
  export interface ProvidedContext {
    /** The servers on which tests create databases, and the migrated database that they copy. */
    nodes: Nodes;
    template: string;
  }
}

type TestDatabase = { nodes: Nodes; template: string; close: () => Promise<void> };

/** Starts a PostgreSQL that ends with the run. */
async function startOwnServer(): Promise<{ url: string; close: () => Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), "tollgate-test-"));
  const { url, stop } = await startEmbeddedPostgres(directory, () => {});
  await dropCare(url);
  const close = async () => {
    await stop();
    // Deletes the whole directory, because dropping hundreds of databases takes minutes. A server that still writes its
    // last lines must fail no test.
    await rm(directory, { recursive: true, force: true }).catch(() => {});
  };
  return { url, close };
}

const dropCopies = (nodes: Nodes, template: string) =>
  onEach(nodes, async (sql) => {
    const copies = await sql<{ datname: string }[]>`
      select datname from pg_database where starts_with(datname, ${template})`;
    for (const { datname } of copies) {
      await sql.unsafe(`drop database if exists ${datname} with (force)`);
    }
  });

/**
 * One PostgreSQL for the run: the one of DATABASE_URL, with its workers if it is a Citus (`scripts/citus.mjs`), or a
 * new one.
 */
async function openTestDatabase(): Promise<TestDatabase> {
  const external = process.env.DATABASE_URL;
  const own = external ? null : await startOwnServer();
  const template = `tollgate_template_${process.pid}_${Date.now()}`;
  const url = own?.url ?? external ?? "";
  const nodes = { urls: [url, ...(external ? workersOf(process.env) : [])] };
  await onEach(nodes, (sql) => sql.unsafe(`create database ${template}`));
  await joinNodes(nodes, template);
  await migrateDatabase(urlOf(url, template), "drizzle");
  await distributeTemplate(nodes, template);
  return { nodes, template, close: own?.close ?? (() => dropCopies(nodes, template)) };
}

/** Vitest runs this file once for each project, in one process, with a copy of its modules for each. */
const KEY = Symbol.for("tollgate.tests.database");
const run = globalThis as typeof globalThis & { [KEY]?: { opening: Promise<TestDatabase>; users: number } };

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  run[KEY] ??= { opening: openTestDatabase(), users: 0 };
  const shared = run[KEY];
  shared.users++;
  const { nodes, template, close } = await shared.opening;
  project.provide("nodes", nodes);
  project.provide("template", template);
  return async () => {
    shared.users--;
    if (shared.users === 0) {
      delete run[KEY];
      await close();
    }
  };
}
