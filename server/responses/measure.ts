import { sql } from "drizzle-orm";
import type { Db } from "@/server/db";
import { ormOf } from "@/server/db/handles";

/** Responses in the background, and how long the oldest in the queue has waited. */
type BackgroundMeasure = { waiting: number; running: number; waitSeconds: number };

/** Reads the queued and running responses, at most a hundred for each account. Throws the database's error. */
export async function measureBackground(db: Db): Promise<BackgroundMeasure> {
  const [row] = await ormOf(db).execute<{ waiting: number; running: number; wait: number | null }>(sql`
    select count(*) filter (where run_id is null)::float8 as waiting,
      count(*) filter (where run_id is not null)::float8 as running,
      extract(epoch from now() - min(created_at) filter (where run_id is null))::float8 as wait
    from background_responses`);
  return {
    waiting: row?.waiting ?? 0,
    running: row?.running ?? 0,
    waitSeconds: Math.max(0, row?.wait ?? 0),
  };
}
