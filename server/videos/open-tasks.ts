import type { Sql } from "postgres";

/** A task that has not ended. */
export type OpenTask = {
  id: string;
  accountId: string;
  modelId: string;
  /** Percent, as the upstream last told. */
  progress: number;
  createdAt: Date;
};

/**
 * How many tasks are under way, and the newest of them. `accountId`: whose. It reads rows and asks no upstream. What
 * is open has an index of its own, and is never much.
 */
export async function listOpenTasks(
  sql: Sql,
  { accountId, limit }: { accountId?: string | undefined; limit: number },
): Promise<{ count: number; tasks: OpenTask[] }> {
  const rows = await sql<(OpenTask & { count: number })[]>`
    select id, account_id as "accountId", model_id as "modelId", progress, created_at as "createdAt",
      count(*) over ()::int as count
    from video_tasks
    where state in ('submitting', 'processing')
      ${accountId === undefined ? sql`` : sql`and account_id = ${accountId}`}
    order by created_at desc, id desc limit ${limit}`;
  return { count: rows[0]?.count ?? 0, tasks: rows.map(({ count: _, ...task }) => task) };
}
