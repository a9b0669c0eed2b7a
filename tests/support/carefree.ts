import postgres from "postgres";

/**
 * Turns off a running PostgreSQL's protection from power cuts, so that no commit waits for a disk, and its vacuum, which
 * would start a process for some database several times a second, as there are hundreds. Tests about power cuts have
 * their own servers, which keep both.
 */
export async function dropCare(url: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    for (const setting of ["fsync", "full_page_writes", "synchronous_commit", "autovacuum"]) {
      await sql.unsafe(`alter system set ${setting} = off`);
    }
    await sql`select pg_reload_conf()`;
  } finally {
    await sql.end();
  }
}
