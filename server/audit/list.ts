import { and, desc, eq, gte, lt } from "drizzle-orm";
import { Refusal } from "@/server/base/refusal";
import { type Queryable, tables } from "@/server/db";

const { auditEntries } = tables;

/** One change. `before` and `after` hold what differed; null where that side did not exist. */
export type ChangeEntry = {
  /** Counts up. */
  id: string;
  createdAt: Date;
  userId: string | null;
  actor: string;
  action: string;
  accountId: string | null;
  targetId: string;
  targetName: string;
  before: unknown;
  after: unknown;
  address: string | null;
};

/** `from` inclusive, `until` exclusive. Absent members do not restrict; whoever serves an owner gives `accountId`. */
export type ChangeFilter = {
  accountId?: string | undefined;
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

/** A page of changes, newest first. `nextCursor` is null on the last one. Throws Refusal on a cursor that is none. */
export async function listChanges(
  db: Queryable,
  filter: ChangeFilter,
  page: { cursor?: string | undefined; limit: number },
): Promise<{ rows: ChangeEntry[]; nextCursor: string | null }> {
  if (page.cursor !== undefined && !/^\d{1,18}$/.test(page.cursor)) {
    throw new Refusal("this page does not exist", "pageUnknown");
  }
  const older = page.cursor === undefined ? undefined : lt(auditEntries.id, BigInt(page.cursor));
  const found = await db
    .select({
      id: auditEntries.id,
      createdAt: auditEntries.createdAt,
      userId: auditEntries.userId,
      actor: auditEntries.actor,
      action: auditEntries.action,
      accountId: auditEntries.accountId,
      targetId: auditEntries.targetId,
      targetName: auditEntries.targetName,
      before: auditEntries.before,
      after: auditEntries.after,
      address: auditEntries.address,
    })
    .from(auditEntries)
    .where(and(matching(filter), older))
    .orderBy(desc(auditEntries.id))
    // One more than the page holds tells whether there is another.
    .limit(page.limit + 1);
  const rows = found.slice(0, page.limit).map((row) => ({ ...row, id: String(row.id) }));
  return { rows, nextCursor: found.length > page.limit ? (rows.at(-1)?.id ?? null) : null };
}

/**
 * Every change that matches, newest first, in batches. It ends: what is recorded meanwhile is newer than its start.
 */
export async function* exportChanges(db: Queryable, filter: ChangeFilter): AsyncGenerator<ChangeEntry[]> {
  let cursor: string | undefined;
  do {
    const page = await listChanges(db, filter, { cursor, limit: BATCH_ROWS });
    yield page.rows;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}
