import { and, asc, desc, eq, gte, lte, sql } from "drizzle-orm";
import { cutPage, type Db, type Page, type TimePageQuery, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { Refusal } from "@/server/domain/refusal";
import { along, type CallFilter, type Index, indexesOf, is, rowConditions } from "./filter";
import type { CallRecord } from "./rows";

const { calls } = tables;

const PAGE_ROWS = 50;
const MAX_PAGE_ROWS = 200;

/**
 * Rows that the walks of one page read in search of a combination that no index has: a few first, which often have a
 * page. Few enough that no other plan looks cheaper; some 50 ms together.
 */
const WALKS = [500, 5_000, 5_000, 5_000];

/** A walk along an index, of that many rows at most. */
type Walk = { filter: CallFilter; index: Index; rows: number };

/**
 * Reads the next rows of a page. `nextCursor` is where the next walk continues: after the last row returned, or where
 * this walk stopped looking. For another account's key it returns nothing, not even a cursor.
 */
async function walk(db: Db, { filter, index, rows }: Walk, page: TimePageQuery): Promise<Page<CallRecord>> {
  const { limit, isOldestFirst = false } = page;
  const orm = ormOf(db);
  const inOrder = isOldestFirst ? asc : desc;
  const last = sql.raw(isOldestFirst ? "max" : "min");
  const rowLimit = rowConditions(index, calls, filter) === undefined ? limit + 1 : rows;
  const range = along(index, filter, page);
  const walked = orm
    .$with("walked")
    .as(orm.select().from(calls).where(range).orderBy(inOrder(calls.requestId)).limit(rowLimit));
  const isOwn = index === "key" ? is(walked.accountId, filter.accountId) : undefined;
  const own = orm.$with("own").as(orm.select().from(walked).where(isOwn));
  const end = orm
    .select({
      id: sql<string | null>`case when count(*) = ${rowLimit} then ${last}(${own.requestId}) end`.as("id"),
    })
    .from(own)
    .as("end");
  const matches = orm
    .select()
    .from(own)
    .where(rowConditions(index, own, filter))
    .orderBy(inOrder(own.requestId))
    .limit(limit + 1)
    .as("found");
  const found = await orm
    .with(walked, own)
    .select()
    .from(end)
    .leftJoin(matches, sql`true`)
    .orderBy(inOrder(matches.requestId));
  const cut = cutPage(
    found.flatMap((row) => row.found ?? []),
    limit,
    ({ requestId }) => requestId,
  );
  return { ...cut, nextCursor: cut.nextCursor ?? found[0]?.end.id ?? null };
}

/** Walks along one index after another until a walk fills the page or has seen all; returns the longest walk's page. */
async function walkFarthest(
  db: Db,
  { filter, rows }: Omit<Walk, "index">,
  page: TimePageQuery,
): Promise<Page<CallRecord>> {
  let farthest: Page<CallRecord> = { rows: [], nextCursor: null };
  const indexes = indexesOf(filter);
  for (const index of indexes) {
    const found = await walk(db, { filter, index, rows: rows / indexes.length }, page);
    if (found.nextCursor === null || found.rows.length === page.limit) {
      return found;
    }
    const isFirst = farthest.nextCursor === null;
    if (isFirst || found.nextCursor > (farthest.nextCursor ?? "") === (page.isOldestFirst ?? false)) {
      farthest = found;
    }
  }
  return farthest;
}

/**
 * Returns the account's call at a cursor, or the last one before it in the order of the page. A walk along a model's
 * calls may have stopped at a call of another account, which the page must not reveal.
 */
async function ownCursor(
  db: Db,
  { accountId, modelId }: CallFilter,
  { cursor, isOldestFirst }: Pick<TimePageQuery, "cursor" | "isOldestFirst">,
): Promise<string | null> {
  if (cursor === undefined || accountId === undefined || modelId === undefined) {
    return cursor ?? null;
  }
  const [own] = await ormOf(db)
    .select({ id: calls.requestId })
    .from(calls)
    .where(and(eq(calls.accountId, accountId), (isOldestFirst ? lte : gte)(calls.requestId, cursor)))
    .orderBy((isOldestFirst ? desc : asc)(calls.requestId))
    .limit(1);
  return own?.id ?? null;
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
  const listed: CallRecord[] = [];
  let cursor = first.cursor;
  for (const rows of WALKS) {
    const page = { ...first, cursor, limit: pageRows - listed.length };
    const found = await walkFarthest(db, { filter, rows }, page);
    listed.push(...found.rows);
    if (found.nextCursor === null) {
      return { rows: listed, nextCursor: null };
    }
    cursor = found.nextCursor;
    if (listed.length === pageRows) {
      break;
    }
  }
  return { rows: listed, nextCursor: await ownCursor(db, filter, { ...first, cursor }) };
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
