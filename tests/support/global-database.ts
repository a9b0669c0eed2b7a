import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { migrateDatabase } from "@/server/db";
import { startEmbeddedPostgres } from "@/server/db/embedded";
import { dropDurability } from "./durability";
import { distributeTemplate, joinNodes, type Nodes, onEach, urlOf, workersOf } from "./nodes";

declare module "vitest" {
  export interface ProvidedContext {
    /** Servers on which tests create databases, and the migrated one there that they copy. */
    nodes: Nodes;
    template: string;
  }
}

type TestDatabase = { nodes: Nodes; template: string; close: () => Promise<void> };

/**
 * One PostgreSQL for the run: the one of DATABASE_URL, with its workers where it is a Citus (`scripts/citus.mjs`), else
 * an embedded one that the end of the run removes.
 */
async function openTestDatabase(): Promise<TestDatabase> {
  const directory = await mkdtemp(join(tmpdir(), "tollgate-test-"));
  const external = process.env.DATABASE_URL;
  const server = external
    ? { url: external, stop: async () => {} }
    : await startEmbeddedPostgres(directory, () => {});
  if (!external) {
    await dropDurability(server.url);
  }
  const template = `tollgate_template_${process.pid}_${Date.now()}`;
  const nodes = { urls: [server.url, ...(external ? workersOf(process.env) : [])] };
  await onEach(nodes, (sql) => sql.unsafe(`create database ${template}`));
  await joinNodes(nodes, template);
  await migrateDatabase(urlOf(server.url, template), "drizzle");
  await distributeTemplate(nodes, template);
  const close = async () => {
    await onEach(nodes, async (sql) => {
      const leftovers = await sql<{ datname: string }[]>`
        select datname from pg_database where starts_with(datname, ${template})`;
      for (const { datname } of leftovers) {
        await sql.unsafe(`drop database if exists ${datname} with (force)`);
      }
    });
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  };
  return { nodes, template, close };
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
