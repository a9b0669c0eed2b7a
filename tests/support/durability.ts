import postgres from "postgres";

/**
 * Turns off what protects a running PostgreSQL's data from a power cut, so that a commit waits for no disk. Tests about
 * power cuts have servers of their own, which keep it.
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
