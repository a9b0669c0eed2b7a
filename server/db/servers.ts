import type { ISql } from "postgres";

/** Why a change that no server may meet is refused. */
export const SERVED = "a server uses this database: stop every one of them first";

/**
 * Whether a server is on this database: each of its processes listens (`notifications.ts`). What a session of another role
 * asks is hidden from one that may not read it, and then any session of ours counts.
 */
export async function hasServer(sql: ISql): Promise<boolean> {
  const listeners = await sql`
    select 1 from pg_stat_activity
    where datname = current_database() and application_name = 'tollgate' and pid <> pg_backend_pid()
      and (query ilike 'listen %' or query = '<insufficient privilege>')`;
  return listeners.length > 0;
}
