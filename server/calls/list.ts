import { lowestId } from "@/server/base/ids";
import { Refusal } from "@/server/base/refusal";
import type { Db } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import { type CallRecord, COLUMNS } from "./rows";

/** Which calls. `accountId`: whose; an owner's list always has it, and the operator's need not. */
export type CallFilter = {
  accountId?: string | undefined;
  keyId?: string | undefined;
  modelId?: string | undefined;
  endpoint?: string | undefined;
  status?: "ok" | "failed" | undefined;
  /** Begun at or after this moment. */
  from?: Date | undefined;
  /** Begun before this moment. */
  until?: Date | undefined;
  requestId?: string | undefined;
};

/** `nextCursor` is null at the end. A page may be short, or empty, and not the last: see `listCalls`. */
export type CallPage = { rows: CallRecord[]; nextCursor: string | null };

const PAGE_ROWS = 50;
const MAX_PAGE_ROWS = 200;

/** Rows that one statement walks past in search of a rare combination: few enough that no other plan looks cheaper. */
const WALK_ROWS = 5_000;
/** Statements of one page: some 50 ms. */
const MAX_WALKS = 4;

/** Adds a value to a statement's parameters; answers with its name there. */
type Put = (value: string | number) => string;

const and = (conditions: string[]) => ["true", ...conditions].join(" and ");

/**
 * A filter as conditions. `along`: of the one index that leads to the fewest rows (a key's, a failure's, a model's),
 * and of the range of it that counts, for identifiers are time-ordered. `beside`: what each row on the way is then
 * asked.
 */
function conditionsOf(filter: CallFilter, cursor: string | undefined, put: Put) {
  const { accountId, keyId, modelId, endpoint, status, from, until, requestId } = filter;
  const has = (text: string, value: string | undefined) =>
    value === undefined ? [] : [`${text} ${put(value)}`];
  const byUse = [
    ...has("key_id =", keyId),
    ...(status === "failed" ? ["error is not null"] : []),
    ...has("model_id =", modelId),
  ];
  return {
    along: [
      // A key has an index of its own, and no more than one account.
      ...(keyId === undefined ? has("account_id =", accountId) : []),
      ...byUse.slice(0, 1),
      ...has("request_id =", requestId),
      ...has("request_id <", cursor),
      ...has("request_id >=", from && lowestId("req", from)),
      ...has("request_id <", until && lowestId("req", until)),
    ],
    own: has("account_id =", accountId),
    beside: [
      ...byUse.slice(1),
      ...has("endpoint =", endpoint),
      ...(status === "ok" ? ["error is null"] : []),
    ],
  };
}

type Walked = CallRecord & { walkEnd: string | null };

/**
 * The next rows of a page. `nextCursor` is where the walk goes on: behind the last row that was wanted, or where it
 * stopped looking. Another account's key leads nowhere, not even to a cursor.
 */
async function walk(
  db: Db,
  filter: CallFilter,
  { cursor, wanted }: { cursor: string | undefined; wanted: number },
): Promise<CallPage> {
  const sql = sqlOf(db);
  const values: (string | number)[] = [];
  const put: Put = (value) => `$${values.push(value)}`;
  const { along, own, beside } = conditionsOf(filter, cursor, put);
  const most = put(beside.length === 0 ? wanted + 1 : WALK_ROWS);
  // Not prepared, and so planned for these values: a plan for any would look for a rare model along all of the calls.
  const found = await sql.unsafe<Walked[]>(
    `with walked as materialized (
      select * from calls where ${and(along)} order by request_id desc limit ${most}
    ), own as (
      select * from walked where ${and(own)}
    )
    select found.*, walk."walkEnd"
    from (select case when count(*) = ${most} then min(request_id) end as "walkEnd" from own) as walk
    left join (
      select ${COLUMNS} from own where ${and(beside)} order by request_id desc limit ${put(wanted + 1)}
    ) as found on true
    order by "requestId" desc`,
    values,
  );
  const rows = found
    .flatMap(({ walkEnd: _, ...row }) => (row.requestId === null ? [] : [row]))
    .slice(0, wanted);
  const isFull = found.length > wanted;
  return { rows, nextCursor: (isFull ? rows.at(-1)?.requestId : found[0]?.walkEnd) ?? null };
}

/**
 * Calls, newest first. What a page costs is bounded whatever is asked: it walks along one index for so long and then
 * stops, and its cursor leads on from there, so that the rows of a rare combination may be spread over several pages.
 */
export async function listCalls(
  db: Db,
  filter: CallFilter,
  { cursor, limit = PAGE_ROWS }: { cursor?: string | undefined; limit?: number | undefined } = {},
): Promise<CallPage> {
  const wanted = Math.min(limit, MAX_PAGE_ROWS);
  let page = await walk(db, filter, { cursor, wanted });
  for (let walks = 1; walks < MAX_WALKS && page.rows.length < wanted && page.nextCursor !== null; walks++) {
    const more = await walk(db, filter, { cursor: page.nextCursor, wanted: wanted - page.rows.length });
    page = { rows: [...page.rows, ...more.rows], nextCursor: more.nextCursor };
  }
  return page;
}

/** One call. Throws Refusal when there is none, or it is another account's. */
export async function getCall(
  db: Db,
  { requestId, accountId }: { requestId: string; accountId?: string | undefined },
): Promise<CallRecord> {
  const { rows } = await listCalls(db, { requestId, accountId }, { limit: 1 });
  const [call] = rows;
  if (!call) {
    throw new Refusal(`there is no call "${requestId}"`, "callUnknown");
  }
  return call;
}
