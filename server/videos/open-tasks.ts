import { and, desc, eq, sql } from "drizzle-orm";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { AccountId } from "@/server/domain/ids";
import { isOpenRow, type TaskRow } from "./rows";

const { videoTasks } = tables;

/** A task that has not ended. `progress`: percent, last reported by the upstream. */
export type OpenTask = Pick<TaskRow, "id" | "accountId" | "modelId" | "progress" | "createdAt">;

/**
 * The number of open tasks, and the newest of them. `accountId`: of this account only. It reads rows and asks no
 * upstream. A separate index has the open tasks, which are never many.
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
