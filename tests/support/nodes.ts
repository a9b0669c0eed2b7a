import postgres from "postgres";
import { distributeDatabase } from "@/server/db";

/** The servers of a test's database: one, or for a distributed one the coordinator and then its workers. */
export type Nodes = { urls: string[] };

/** The server of DATABASE_URL, and its workers, if there are any (`scripts/citus.mjs`). */
export const workersOf = (environment: NodeJS.ProcessEnv): string[] =>
  (environment.CITUS_WORKERS ?? "").split(",").filter((url) => url !== "");

export function urlOf(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}

/** Runs `act` on each server, on its database `postgres` or the named one. */
export async function onEach(
  { urls }: Nodes,
  act: (sql: postgres.Sql, url: URL) => Promise<unknown>,
  database = "postgres",
): Promise<void> {
  for (const server of urls) {
    const sql = postgres(urlOf(server, database), { max: 1, onnotice: () => {} });
    await act(sql, new URL(server)).finally(() => sql.end());
  }
}

export async function joinNodes(nodes: Nodes, database: string): Promise<void> {
  const [coordinator, ...workers] = nodes.urls.map((url) => new URL(url));
  if (coordinator === undefined || workers.length === 0) {
    return;
  }
  await onEach(nodes, (sql) => sql`create extension citus`, database);
  await onEach(
    { urls: [coordinator.href] },
    async (sql) => {
      await sql`select citus_set_coordinator_host(${coordinator.hostname}, ${Number(coordinator.port)})`;
      for (const { hostname, port } of workers) {
        await sql`select citus_add_node(${hostname}, ${Number(port)})`;
      }
    },
    database,
  );
}

/** Distributes a migrated database, and keeps all connections off it, also those of Citus, so that it can be copied. */
export async function distributeTemplate(nodes: Nodes, database: string): Promise<void> {
  const [coordinator] = nodes.urls;
  if (coordinator === undefined || nodes.urls.length === 1) {
    return;
  }
  await distributeDatabase(urlOf(coordinator, database), { shards: 4 });
  await onEach(nodes, async (sql) => {
    await sql.unsafe(`alter database ${database} with allow_connections false`);
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${database}`;
  });
}
