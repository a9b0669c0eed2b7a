import { and, eq, gte, lt } from "drizzle-orm";
import { type Db, findPage, highestFirst, type Page, type PageQuery, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { AccountId } from "@/server/domain/ids";

const { auditEntries } = tables;

/** One change. `id` counts up. `before` and `after` hold the members that differed; null if that side did not exist. */
export type ChangeEntry = Omit<typeof auditEntries.$inferSelect, "id"> & { id: string };

/** `from` inclusive, `until` exclusive. Absent members do not restrict; a list for an owner always sets `accountId`. */
export type ChangeFilter = {
  accountId?: AccountId | undefined;
  action?: string | undefined;
  targetId?: string | undefined;
  /** Exactly as recorded: an e-mail, or `command`. */
  actor?: string | undefined;
  from?: Date | undefined;
  until?: Date | undefined;
};

const BATCH_ROWS = 500;

function matching(filter: ChangeFilter) {
  const { accountId, action, targetId, actor, from, until } = filter;
  return and(
    accountId === undefined ? undefined : eq(auditEntries.accountId, accountId),
    action === undefined ? undefined : eq(auditEntries.action, action),
    targetId === undefined ? undefined : eq(auditEntries.targetId, targetId),
    actor === undefined ? undefined : eq(auditEntries.actor, actor),
    from && gte(auditEntries.createdAt, from),
    until && lt(auditEntries.createdAt, until),
  );
}

/** Newest first. Throws Refusal on an invalid cursor. */
export async function listChanges(db: Db, filter: ChangeFilter, page: PageQuery): Promise<Page<ChangeEntry>> {
  const { rows, nextCursor } = await findPage<typeof auditEntries.$inferSelect>(
    highestFirst(auditEntries.id),
    page,
    ({ behind, orderBy, limit }) =>
      ormOf(db)
        .select()
        .from(auditEntries)
        .where(and(matching(filter), behind))
        .orderBy(...orderBy)
        .limit(limit),
  );
  return { rows: rows.map((row) => ({ ...row, id: row.id.toString() })), nextCursor };
}

/**
 * Every matching change, newest first, in batches. It ends: a change recorded meanwhile is newer than the export's
 * start.
 */
export async function* exportChanges(db: Db, filter: ChangeFilter): AsyncGenerator<ChangeEntry[]> {
  let cursor: string | undefined;
  do {
    const page = await listChanges(db, filter, { cursor, limit: BATCH_ROWS });
    yield page.rows;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}
