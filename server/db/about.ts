import type { Database } from "./client";
import { sqlOf } from "./handles";

type ServerFacts = { version: string; number: number; now: number; connections: number };

/**
 * The PostgreSQL server: its version (`number`: as `server_version_num`), its clock in milliseconds, and how many
 * connections it allows to roles that are no superuser.
 */
export async function describeServer(db: Database): Promise<ServerFacts> {
  const [row] = await sqlOf(db)<ServerFacts[]>`
    select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
      extract(epoch from clock_timestamp())::float8 * 1000 as now,
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as connections`;
  return row ?? { version: "", number: 0, now: 0, connections: 0 };
}
