import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import type { TestProject } from "vitest/node";
import { migrateDatabase } from "@/server/db";
import { startEmbeddedPostgres } from "@/server/db/embedded";

declare module "vitest" {
  export interface ProvidedContext {
    /** A migrated database that tests copy; its server is theirs to create databases on. */
    templateUrl: string;
  }
}

/** One PostgreSQL for the run: the one of DATABASE_URL, else an embedded one that goes when the run ends. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), "tollgate-test-"));
  const external = process.env.DATABASE_URL;
  const server = external
    ? { url: external, stop: async () => {} }
    : await startEmbeddedPostgres(directory, () => {});
  const template = `tollgate_template_${process.pid}_${Date.now()}`;
  const admin = postgres(server.url, { max: 1, onnotice: () => {} });
  await admin.unsafe(`create database ${template}`);
  const url = new URL(server.url);
  url.pathname = `/${template}`;
  await migrateDatabase(url.href, "drizzle");
  project.provide("templateUrl", url.href);
  return async () => {
    const leftovers = await admin<{ datname: string }[]>`
      select datname from pg_database where starts_with(datname, ${template})`;
    for (const { datname } of leftovers) {
      await admin.unsafe(`drop database if exists ${datname} with (force)`);
    }
    await admin.end();
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  };
}
