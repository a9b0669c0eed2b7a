import { and, desc, eq, sql } from "drizzle-orm";
import type { AccountId } from "@/server/base/ids";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { isOpenRow, type TaskRow } from "./rows";

const { videoTasks } = tables;

/** A task that has not ended. `progress`: percent, as the upstream last told. */
export type OpenTask = Pick<TaskRow, "id" | "accountId" | "modelId" | "progress" | "createdAt">;

/**
 * How many tasks are under way, and the newest of them. `accountId`: whose. It reads rows and asks no upstream. What
 * is open has an index of its own, and is never much.
 */
export async function listOpenTasks(
  db: Db,
  { accountId, limit }: { accountId?: AccountId | undefined; limit: number },
): Promise<{ count: number; tasks: OpenTask[] }> {
  const rows = await ormOf(db)
    .select({
      id: videoTasks.id,
      accountId: videoTasks.accountId,
      modelId: videoTasks.modelId,
      progress: videoTasks.progress,
      createdAt: videoTasks.createdAt,
      count: sql`count(*) over ()`.mapWith(Number),
    })
    .from(videoTasks)
    .where(and(isOpenRow, accountId === undefined ? undefined : eq(videoTasks.accountId, accountId)))
    .orderBy(desc(videoTasks.createdAt), desc(videoTasks.id))
    .limit(limit);
  return { count: rows[0]?.count ?? 0, tasks: rows.map(({ count: _, ...task }) => task) };
}
