import type { ISql } from "postgres";

/** The refusal of a change that is impossible while a server runs. */
export const SERVED = "a server uses this database: stop every one of them first";

/**
 * Whether a server uses this database: each of its processes listens (`notifications.ts`). The query of another role's
 * session is hidden from a role that may not read it, and then any session of ours counts.
 */
export async function hasServer(sql: ISql): Promise<boolean> {
  const listeners = await sql`
    select 1 from pg_stat_activity
    where datname = current_database() and application_name = 'tollgate' and pid <> pg_backend_pid()
      and (query ilike 'listen %' or query = '<insufficient privilege>')`;
  return listeners.length > 0;
}
