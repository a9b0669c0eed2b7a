import postgres, { type Sql } from "postgres";
import { findEmbeddedUrl } from "@/server/db";

/** Runs `work` on the database of the server that was started for the flows. */
export async function withDatabase<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
  const url = findEmbeddedUrl(process.env.E2E_DATA_DIR ?? "") ?? "";
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return await work(sql);
  } finally {
    await sql.end();
  }
}

/** Moves a video task's deadline to this moment: flows cannot wait for ten minutes. */
export const passDeadline = (taskId: string): Promise<unknown> =>
  withDatabase(
    (sql) => sql`update video_tasks set deadline_at = now(), next_poll_at = now() where id = ${taskId}`,
  );
