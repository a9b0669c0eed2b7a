import { and, count, desc, eq, gte, type SQL, sql } from "drizzle-orm";
import { type Nanos, nanos } from "@/server/base/money";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { madeAt } from "@/server/domain/ids";
import { chargesOf } from "./charges-of-calls";
import { along, type CallFilter, indexesOf, is, rowConditions } from "./filter";
import type { CallRecord } from "./rows";

const { calls } = tables;

/**
 * Calls that are compared with each other, the newest of the filter. No index has the order of their charges, which are
 * in the ledger, and another index would cost each call more than a rare question is worth (decision 82).
 */
const MOST_COMPARED = 20_000;
const MOST_RANKED = 200;

/** The figure by which calls are ranked, the highest first. */
export type RankedBy = "cost" | "tokens" | "duration";

/** Sums of calls. `amount` in nano-units; input tokens of every class. A task's charge counts once. */
export type CallSums = {
  calls: number;
  failed: number;
  amount: Nanos;
  inputTokens: number;
  outputTokens: number;
};

/** The oldest and the newest of the compared calls, and whether the filter has more, which are older. */
type Extent = { first: string; last: string; isPartial: boolean };

/** Whether the key of the filter is the reader's. All calls of a key are of one account, so its newest call says it. */
async function isOwnKey(db: Db, { keyId, accountId }: CallFilter): Promise<boolean> {
  const [newest] = await ormOf(db)
    .select({ accountId: calls.accountId })
    .from(calls)
    .where(is(calls.keyId, keyId))
    .orderBy(desc(calls.requestId))
    .limit(1);
  return accountId === undefined || newest?.accountId === accountId;
}

/** null: the filter finds no call along its index. Of another account's key, the reader learns no moment. */
async function extentOf(db: Db, filter: CallFilter): Promise<Extent | null> {
  const [index = "all"] = indexesOf(filter);
  if (index === "key" && !(await isOwnKey(db, filter))) {
    return null;
  }
  // No other column: the index alone answers.
  const newest = ormOf(db)
    .select({ id: calls.requestId })
    .from(calls)
    .where(along(index, filter, { limit: MOST_COMPARED }))
    .orderBy(desc(calls.requestId))
    .limit(MOST_COMPARED)
    .as("newest");
  const [extent] = await ormOf(db)
    .select({
      first: sql<string | null>`min(${newest.id})`,
      last: sql<string | null>`max(${newest.id})`,
      calls: count(),
    })
    .from(newest);
  return extent?.first && extent.last
    ? { first: extent.first, last: extent.last, isPartial: extent.calls === MOST_COMPARED }
    : null;
}

/** The calls of the filter, no further back than the extent. */
function isCompared(filter: CallFilter, { first }: Extent): SQL | undefined {
  const [index = "all"] = indexesOf(filter);
  const isOwn = index === "key" ? is(calls.accountId, filter.accountId) : undefined;
  const range = along(index, filter, { limit: MOST_COMPARED });
  return and(range, gte(calls.requestId, first), isOwn, rowConditions(index, calls, filter));
}

/** A repeated submission has the task of the first one, and so its one charge. */
const chargeId = sql<string>`coalesce(${calls.taskId}, ${calls.requestId})`;

/** The compared calls, and the identifiers of their charges. */
const matchesOf = (db: Db, filter: CallFilter, extent: Extent) =>
  ormOf(db)
    .$with("matches")
    .as(
      ormOf(db)
        .select({
          accountId: sql<CallRecord["accountId"]>`${calls.accountId}`.as("call_account"),
          requestId: sql<string>`${calls.requestId}`.as("call_id"),
          chargeId: chargeId.as("charge_id"),
          error: calls.error,
        })
        .from(calls)
        .where(isCompared(filter, extent)),
    );

/** Sums of the filter's calls, of the newest if there are very many: then `comparedTo` is when the oldest began. */
export async function sumCalls(db: Db, filter: CallFilter): Promise<CallSums & { comparedTo: Date | null }> {
  const extent = await extentOf(db, filter);
  const none = { calls: 0, failed: 0, amount: nanos(0n), inputTokens: 0, outputTokens: 0, comparedTo: null };
  if (extent === null) {
    return none;
  }
  const orm = ormOf(db);
  const matches = matchesOf(db, filter, extent);
  const counted = orm
    .select({ calls: count().as("calls"), failed: count(matches.error).as("failed") })
    .from(matches)
    .as("counted");
  const charge = chargesOf(db, matches, extent).as("charge");
  const sums = orm
    .select({
      amount: sql`coalesce(sum(${charge.amount}), 0)`.mapWith(nanos).as("amount"),
      inputTokens: sql`coalesce(sum(${charge.inputTokens}), 0)`.mapWith(Number).as("input_tokens"),
      outputTokens: sql`coalesce(sum(${charge.outputTokens}), 0)`.mapWith(Number).as("output_tokens"),
    })
    .from(charge)
    .as("sums");
  const [row] = await orm
    .with(matches)
    .select({
      ...{ calls: counted.calls, failed: counted.failed, amount: sums.amount },
      ...{ inputTokens: sums.inputTokens, outputTokens: sums.outputTokens },
    })
    .from(counted)
    .innerJoin(sums, sql`true`);
  return { ...none, ...row, comparedTo: extent.isPartial ? madeAt(extent.first) : null };
}

/**
 * The calls of the filter with the highest figures, highest first. They are the highest of the newest if there are very
 * many calls: then `comparedTo` is when the oldest compared one began.
 */
export async function rankCalls(
  db: Db,
  filter: CallFilter,
  { by, limit }: { by: RankedBy; limit: number },
): Promise<{ rows: CallRecord[]; comparedTo: Date | null }> {
  const extent = await extentOf(db, filter);
  if (extent === null) {
    return { rows: [], comparedTo: null };
  }
  const orm = ormOf(db);
  const comparedTo = extent.isPartial ? madeAt(extent.first) : null;
  const most = Math.min(limit, MOST_RANKED);
  if (by === "duration") {
    const rows = await orm
      .select({ call: calls })
      .from(calls)
      .where(isCompared(filter, extent))
      .orderBy(desc(calls.elapsedMs), desc(calls.requestId))
      .limit(most);
    return { rows: rows.map(({ call }) => call), comparedTo };
  }
  const matches = matchesOf(db, filter, extent);
  const charge = chargesOf(db, matches, extent).as("charge");
  const figure = by === "cost" ? sql`${charge.amount}` : sql`${charge.inputTokens} + ${charge.outputTokens}`;
  // Whole rows are read of the highest calls only.
  const highest = orm
    .select({
      accountId: matches.accountId,
      requestId: matches.requestId,
      figure: sql`${figure}`.as("figure"),
    })
    .from(matches)
    .leftJoin(charge, and(eq(charge.accountId, matches.accountId), eq(charge.id, matches.chargeId)))
    .orderBy(sql`figure desc nulls last`, sql`${matches.requestId} desc`)
    .limit(most)
    .as("highest");
  const rows = await orm
    .with(matches)
    .select({ call: calls })
    .from(highest)
    .innerJoin(calls, and(eq(calls.accountId, highest.accountId), eq(calls.requestId, highest.requestId)))
    .orderBy(sql`${highest.figure} desc nulls last`, desc(calls.requestId));
  return { rows: rows.map(({ call }) => call), comparedTo };
}
