import { type AnyColumn, and, asc, desc, eq, gt, gte, isNotNull, isNull, lt, sql } from "drizzle-orm";
import { cutPage, type Db, type Page, type TimePageQuery, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { lowestId } from "@/server/domain/ids";
import { Refusal } from "@/server/domain/refusal";
import type { CallRecord } from "./rows";

const { calls } = tables;

/** Filters of calls. `accountId`: always set in an owner's list, optional in an operator's. */
export type CallFilter = {
  accountId?: CallRecord["accountId"] | undefined;
  keyId?: CallRecord["keyId"] | undefined;
  modelId?: string | undefined;
  endpoint?: string | undefined;
  /** The channel that served it. */
  channelId?: CallRecord["channelId"] | undefined;
  status?: "ok" | "failed" | undefined;
  /** Begun at or after this moment. */
  from?: Date | undefined;
  /** Begun before this moment. */
  until?: Date | undefined;
  requestId?: string | undefined;
};

const PAGE_ROWS = 50;
const MAX_PAGE_ROWS = 200;

/** Rows that one statement reads in search of a rare combination: few enough that no other plan looks cheaper. */
const WALK_ROWS = 5_000;
/** Statements of one page: some 50 ms. */
const MAX_WALKS = 4;

const is = (column: AnyColumn, value: string | undefined) =>
  value === undefined ? undefined : eq(column, value);

/** Columns of the table, or of the rows that a walk has read. */
type Columns = Record<"keyId" | "modelId" | "endpoint" | "channelId" | "error", AnyColumn>;

/** Filters that have an index; the first one given leads to the fewest rows. */
const byUse = (columns: Columns, { keyId, status, modelId }: CallFilter) =>
  [
    is(columns.keyId, keyId),
    status === "failed" ? isNotNull(columns.error) : undefined,
    is(columns.modelId, modelId),
  ].filter((condition) => condition !== undefined);

/**
 * The range of a walk: along the one index that leads to the fewest rows (of a key, of failures, of a model), between
 * the moments of the filter, because identifiers are ordered by time.
 */
const along = (filter: CallFilter, { cursor, isOldestFirst }: TimePageQuery) =>
  and(
    // A key has its own index, and belongs to one account only.
    filter.keyId === undefined ? is(calls.accountId, filter.accountId) : undefined,
    ...byUse(calls, filter).slice(0, 1),
    is(calls.requestId, filter.requestId),
    cursor === undefined ? undefined : (isOldestFirst ? gt : lt)(calls.requestId, cursor),
    filter.from && gte(calls.requestId, lowestId("req", filter.from)),
    filter.until && lt(calls.requestId, lowestId("req", filter.until)),
  );

/** Conditions that are checked for each row of the walk. undefined: none. */
const beside = (columns: Columns, filter: CallFilter) =>
  and(
    ...byUse(columns, filter).slice(1),
    is(columns.endpoint, filter.endpoint),
    is(columns.channelId, filter.channelId ?? undefined),
    filter.status === "ok" ? isNull(columns.error) : undefined,
  );

/**
 * Reads the next rows of a page. `nextCursor` is where the next walk continues: after the last row returned, or where
 * this walk stopped looking. For another account's key it returns nothing, not even a cursor.
 */
async function walk(db: Db, filter: CallFilter, page: TimePageQuery): Promise<Page<CallRecord>> {
  const { limit, isOldestFirst = false } = page;
  const orm = ormOf(db);
  const inOrder = isOldestFirst ? asc : desc;
  const last = sql.raw(isOldestFirst ? "max" : "min");
  const rowLimit = beside(calls, filter) === undefined ? limit + 1 : WALK_ROWS;
  const walked = orm
    .$with("walked")
    .as(
      orm.select().from(calls).where(along(filter, page)).orderBy(inOrder(calls.requestId)).limit(rowLimit),
    );
  const own = orm.$with("own").as(orm.select().from(walked).where(is(walked.accountId, filter.accountId)));
  const end = orm
    .select({
      id: sql<string | null>`case when count(*) = ${rowLimit} then ${last}(${own.requestId}) end`.as("id"),
    })
    .from(own)
    .as("end");
  const matches = orm
    .select()
    .from(own)
    .where(beside(own, filter))
    .orderBy(inOrder(own.requestId))
    .limit(limit + 1)
    .as("found");
  const rows = await orm
    .with(walked, own)
    .select()
    .from(end)
    .leftJoin(matches, sql`true`)
    .orderBy(inOrder(matches.requestId));
  const cut = cutPage(
    rows.flatMap((row) => row.found ?? []),
    limit,
    ({ requestId }) => requestId,
  );
  return { ...cut, nextCursor: cut.nextCursor ?? rows[0]?.end.id ?? null };
}

/**
 * Lists calls. The cost of a page is bounded for every filter: a walk reads one index up to a limit and stops, and its
 * cursor leads on from there. So a page may be short or empty without being the last: the rows of a rare combination
 * may be spread over several pages.
 */
export async function listCalls(
  db: Db,
  filter: CallFilter,
  { limit = PAGE_ROWS, ...first }: Partial<TimePageQuery> = {},
): Promise<Page<CallRecord>> {
  const pageRows = Math.min(limit, MAX_PAGE_ROWS);
  let page = await walk(db, filter, { ...first, limit: pageRows });
  for (let walks = 1; walks < MAX_WALKS && page.rows.length < pageRows && page.nextCursor !== null; walks++) {
    const next = { ...first, cursor: page.nextCursor, limit: pageRows - page.rows.length };
    const more = await walk(db, filter, next);
    page = { rows: [...page.rows, ...more.rows], nextCursor: more.nextCursor };
  }
  return page;
}

/** Returns one call. Throws Refusal if it does not exist or belongs to another account. */
export async function getCall(
  db: Db,
  { requestId, accountId }: { requestId: string; accountId?: CallRecord["accountId"] | undefined },
): Promise<CallRecord> {
  const { rows } = await listCalls(db, { requestId, accountId }, { limit: 1 });
  const [call] = rows;
  if (!call) {
    throw new Refusal(`request "${requestId}" was not found`, "callUnknown");
  }
  return call;
}
