import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { migrateDatabase } from "@/server/db";
import { startEmbeddedPostgres } from "@/server/db/embedded";
import { distributeTemplate, joinNodes, type Nodes, onEach, urlOf, workersOf } from "./nodes";

declare module "vitest" {
  export interface ProvidedContext {
    /** Servers on which tests create databases, and the migrated one there that they copy. */
    nodes: Nodes;
    template: string;
  }
}

/**
 * One PostgreSQL for the run: the one of DATABASE_URL, with its workers where it is a Citus (`scripts/citus.mjs`), else
 * an embedded one that goes when the run ends.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), "tollgate-test-"));
  const external = process.env.DATABASE_URL;
  const server = external
    ? { url: external, stop: async () => {} }
    : await startEmbeddedPostgres(directory, () => {});
  const template = `tollgate_template_${process.pid}_${Date.now()}`;
  const nodes = { urls: [server.url, ...(external ? workersOf(process.env) : [])] };
  await onEach(nodes, (sql) => sql.unsafe(`create database ${template}`));
  await joinNodes(nodes, template);
  await migrateDatabase(urlOf(server.url, template), "drizzle");
  await distributeTemplate(nodes, template);
  project.provide("nodes", nodes);
  project.provide("template", template);
  return async () => {
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
}
