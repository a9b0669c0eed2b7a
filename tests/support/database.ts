import postgres from "postgres";
import { inject } from "vitest";
import { type Database, openDatabase } from "@/server/db";
import { timed } from "./file-times";
import { onEach, urlOf } from "./nodes";

let count = 0;

async function copyTemplate(sql: postgres.Sql, name: string): Promise<void> {
  // Two files that copy the template at once exclude each other; the later one tries again.
  for (let tries = 0; ; tries++) {
    try {
      await sql.unsafe(`create database ${name} template ${inject("template")}`);
      return;
    } catch (error) {
      if (tries > 50) {
        throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** Makes a new, migrated, empty database for this test file. Returns its URL. */
export async function freshDatabase(): Promise<string> {
  const nodes = inject("nodes");
  const name = `${inject("template")}_${process.pid}_${count++}`;
  await timed("database", () => onEach(nodes, (sql) => copyTemplate(sql, name)));
  return urlOf(nodes.urls[0] ?? "", name);
}

/** Opens a database of `freshDatabase` as a server would. */
export const openFresh = (url: string, options: Parameters<typeof openDatabase>[1] = {}): Database =>
  openDatabase(url, { ...options, isDistributed: inject("nodes").urls.length > 1 });

/** The directory of a database's server, which contains its lock file. */
export async function dataDirectory(url: string): Promise<string> {
  const client = postgres(url, { max: 1, onnotice: () => {} });
  const [row] = await client<{ data_directory: string }[]>`show data_directory`.finally(() => client.end());
  return row?.data_directory ?? "";
}
