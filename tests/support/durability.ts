import postgres from "postgres";

/**
 * Turns off a running PostgreSQL's protection from power cuts, so that no commit waits for a disk. Tests about power
 * cuts have their own servers, which keep it.
 */
export async function dropDurability(url: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    for (const setting of ["fsync", "full_page_writes", "synchronous_commit"]) {
      await sql.unsafe(`alter system set ${setting} = off`);
    }
    await sql`select pg_reload_conf()`;
  } finally {
    await sql.end();
  }
}
