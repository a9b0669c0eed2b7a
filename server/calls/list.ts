import { type AnyColumn, and, asc, desc, eq, gt, gte, isNotNull, isNull, lt, sql } from "drizzle-orm";
import { lowestId } from "@/server/base/ids";
import { Refusal } from "@/server/base/refusal";
import { cutPage, type Db, type Page, type TimePageQuery, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { CallRecord } from "./rows";

const { calls } = tables;

/** Which calls. `accountId`: whose; an owner's list always has it, and the operator's need not. */
export type CallFilter = {
  accountId?: CallRecord["accountId"] | undefined;
  keyId?: CallRecord["keyId"] | undefined;
  modelId?: string | undefined;
  endpoint?: string | undefined;
  /** Which served it. */
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

/** Rows that one statement walks past in search of a rare combination: few enough that no other plan looks cheaper. */
const WALK_ROWS = 5_000;
/** Statements of one page: some 50 ms. */
const MAX_WALKS = 4;

const is = (column: AnyColumn, value: string | undefined) =>
  value === undefined ? undefined : eq(column, value);

/** Of the table, or of the rows on the way. */
type Columns = Record<"keyId" | "modelId" | "endpoint" | "channelId" | "error", AnyColumn>;

/** Each has an index; the first that is asked for leads to the fewest rows. */
const byUse = (columns: Columns, { keyId, status, modelId }: CallFilter) =>
  [
    is(columns.keyId, keyId),
    status === "failed" ? isNotNull(columns.error) : undefined,
    is(columns.modelId, modelId),
  ].filter((condition) => condition !== undefined);

/**
 * The way of a walk: along the one index that leads to the fewest rows (a key's, a failure's, a model's), and the range
 * of it that counts, for identifiers are time-ordered.
 */
const along = (filter: CallFilter, { cursor, isOldestFirst }: TimePageQuery) =>
  and(
    // A key has an index of its own, and no more than one account.
    filter.keyId === undefined ? is(calls.accountId, filter.accountId) : undefined,
    ...byUse(calls, filter).slice(0, 1),
    is(calls.requestId, filter.requestId),
    cursor === undefined ? undefined : (isOldestFirst ? gt : lt)(calls.requestId, cursor),
    filter.from && gte(calls.requestId, lowestId("req", filter.from)),
    filter.until && lt(calls.requestId, lowestId("req", filter.until)),
  );

/** What each row on the way is then asked. undefined: nothing. */
const beside = (columns: Columns, filter: CallFilter) =>
  and(
    ...byUse(columns, filter).slice(1),
    is(columns.endpoint, filter.endpoint),
    is(columns.channelId, filter.channelId ?? undefined),
    filter.status === "ok" ? isNull(columns.error) : undefined,
  );

/**
 * The next rows of a page. `nextCursor` is where the walk goes on: behind the last row that was wanted, or where it
 * stopped looking. Another account's key leads nowhere, not even to a cursor.
 */
async function walk(db: Db, filter: CallFilter, page: TimePageQuery): Promise<Page<CallRecord>> {
  const { limit, isOldestFirst = false } = page;
  const orm = ormOf(db);
  const inOrder = isOldestFirst ? asc : desc;
  const last = sql.raw(isOldestFirst ? "max" : "min");
  const most = beside(calls, filter) === undefined ? limit + 1 : WALK_ROWS;
  const walked = orm
    .$with("walked")
    .as(orm.select().from(calls).where(along(filter, page)).orderBy(inOrder(calls.requestId)).limit(most));
  const own = orm.$with("own").as(orm.select().from(walked).where(is(walked.accountId, filter.accountId)));
  const end = orm
    .select({
      id: sql<string | null>`case when count(*) = ${most} then ${last}(${own.requestId}) end`.as("id"),
    })
    .from(own)
    .as("end");
  const found = orm
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
    .leftJoin(found, sql`true`)
    .orderBy(inOrder(found.requestId));
  const cut = cutPage(
    rows.flatMap((row) => row.found ?? []),
    limit,
    ({ requestId }) => requestId,
  );
  return { ...cut, nextCursor: cut.nextCursor ?? rows[0]?.end.id ?? null };
}

/**
 * Calls. What a page costs is bounded whatever is asked: it walks along one index for so long and then
 * stops, and its cursor leads on from there, so that a page may be short, or empty, and not the last: the rows of a
 * rare combination may be spread over several.
 */
export async function listCalls(
  db: Db,
  filter: CallFilter,
  { limit = PAGE_ROWS, ...first }: Partial<TimePageQuery> = {},
): Promise<Page<CallRecord>> {
  const wanted = Math.min(limit, MAX_PAGE_ROWS);
  let page = await walk(db, filter, { ...first, limit: wanted });
  for (let walks = 1; walks < MAX_WALKS && page.rows.length < wanted && page.nextCursor !== null; walks++) {
    const next = { ...first, cursor: page.nextCursor, limit: wanted - page.rows.length };
    const more = await walk(db, filter, next);
    page = { rows: [...page.rows, ...more.rows], nextCursor: more.nextCursor };
  }
  return page;
}

/** One call. Throws Refusal when there is none, or it is another account's. */
export async function getCall(
  db: Db,
  { requestId, accountId }: { requestId: string; accountId?: CallRecord["accountId"] | undefined },
): Promise<CallRecord> {
  const { rows } = await listCalls(db, { requestId, accountId }, { limit: 1 });
  const [call] = rows;
  if (!call) {
    throw new Refusal(`there is no call "${requestId}"`, "callUnknown");
  }
  return call;
}
