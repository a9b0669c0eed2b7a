import { sql } from "drizzle-orm";
import type { Db } from "@/server/db";
import { ormOf } from "@/server/db/handles";

/** The number of open tasks by state, and the delay of the poll that is longest overdue. */
type VideosMeasure = {
  open: { state: "submitting" | "processing"; count: number }[];
  lateSeconds: number;
};

/** Reads the open tasks by their index, however many have ended. Throws the database's error. */
export async function measureVideos(db: Db): Promise<VideosMeasure> {
  const rows = await ormOf(db).execute<{ state: string; count: number; late: number | null }>(sql`
    select state, count(*)::float8 as count,
      extract(epoch from now() - min(next_poll_at) filter (where lease_until is null or lease_until < now()))::float8
        as late
    from video_tasks where state in ('submitting', 'processing') group by state`);
  const countOf = (state: "submitting" | "processing") => ({
    state,
    count: rows.find((row) => row.state === state)?.count ?? 0,
  });
  return {
    open: [countOf("submitting"), countOf("processing")],
    lateSeconds: Math.max(0, ...rows.map(({ late }) => late ?? 0)),
  };
}
