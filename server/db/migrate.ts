import { readFileSync } from "node:fs";
import { join } from "node:path";
import { drizzle } from "drizzle-orm/postgres-js";
import { migrate } from "drizzle-orm/postgres-js/migrator";
import postgres from "postgres";
import type { Db } from "./client";
import { sqlOf } from "./handles";

/** Any number, the same in every process of every version. */
const MIGRATION_LOCK = 7_310_245;

/** Brings the schema up to date. Twice, or from two processes at once, is safe: an advisory lock orders them. */
export async function migrateDatabase(url: string, folder: string): Promise<void> {
  const client = postgres(url, { max: 1, onnotice: () => {}, connect_timeout: 10 });
  try {
    await client`select pg_advisory_lock(${MIGRATION_LOCK})`;
    await migrate(drizzle(client), { migrationsFolder: folder });
  } finally {
    await client.end({ timeout: 5 });
  }
}

/** Whether the database has every migration of this build. */
export async function migrationsAreCurrent(db: Db, folder: string): Promise<boolean> {
  const journal = JSON.parse(readFileSync(join(folder, "meta", "_journal.json"), "utf8")) as {
    entries: { when: number }[];
  };
  const newest = Math.max(...journal.entries.map((entry) => entry.when));
  const [row] = await sqlOf(db)<{ newest: string | null }[]>`
    select max(created_at)::text as newest from drizzle.__drizzle_migrations`;
  return Number(row?.newest ?? 0) >= newest;
}
