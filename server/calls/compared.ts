import { and, count, desc, gte, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import { type Nanos, nanos } from "@/server/base/money";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { madeAt } from "@/server/domain/ids";
import { chargeOf } from "./charge-of-call";
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

/** null: the filter finds no call along its index. */
async function extentOf(db: Db, filter: CallFilter): Promise<Extent | null> {
  const [index = "all"] = indexesOf(filter);
  const newest = ormOf(db)
    .select({ id: calls.requestId, accountId: calls.accountId })
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
    .from(newest)
    // Of another account's key, the reader learns no moment.
    .where(index === "key" ? is(newest.accountId, filter.accountId) : undefined);
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

/** Sums of the filter's calls, of the newest if there are very many: then `comparedTo` is when the oldest began. */
export async function sumCalls(db: Db, filter: CallFilter): Promise<CallSums & { comparedTo: Date | null }> {
  const extent = await extentOf(db, filter);
  const none = { calls: 0, failed: 0, amount: nanos(0n), inputTokens: 0, outputTokens: 0, comparedTo: null };
  if (extent === null) {
    return none;
  }
  const orm = ormOf(db);
  const matches = orm.$with("matches").as(
    orm
      .select({
        accountId: calls.accountId,
        requestId: calls.requestId,
        taskId: calls.taskId,
        error: calls.error,
      })
      .from(calls)
      .where(isCompared(filter, extent)),
  );
  const { accountId, requestId, taskId } = matches;
  // Each task once; calls of no task need no sorting for that.
  const charged = orm.$with("charged").as(
    orm
      .select({ accountId, id: sql<string>`${requestId}`.as("entry_id") })
      .from(matches)
      .where(isNull(taskId))
      .unionAll(
        orm
          .selectDistinct({ accountId, id: sql<string>`${taskId}`.as("entry_id") })
          .from(matches)
          .where(isNotNull(taskId)),
      ),
  );
  const counted = orm
    .select({ calls: count().as("calls"), failed: count(matches.error).as("failed") })
    .from(matches)
    .as("counted");
  const charge = chargeOf(db, { accountId: sql`${charged.accountId}`, id: sql`${charged.id}` }, extent);
  const sums = orm
    .select({
      amount: sql`coalesce(sum(${charge.amount}), 0)`.mapWith(nanos).as("amount"),
      inputTokens: sql`coalesce(sum(${charge.inputTokens}), 0)`.mapWith(Number).as("input_tokens"),
      outputTokens: sql`coalesce(sum(${charge.outputTokens}), 0)`.mapWith(Number).as("output_tokens"),
    })
    .from(charged)
    .innerJoinLateral(charge, sql`true`)
    .as("sums");
  const [row] = await orm
    .with(matches, charged)
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
  const compared = orm.select({ call: calls }).from(calls).$dynamic();
  if (by === "duration") {
    const rows = await compared
      .where(isCompared(filter, extent))
      .orderBy(desc(calls.elapsedMs), desc(calls.requestId))
      .limit(most);
    return { rows: rows.map(({ call }) => call), comparedTo };
  }
  const charge = chargeOf(db, { accountId: sql`${calls.accountId}`, id: chargeId }, extent);
  const figure = by === "cost" ? sql`${charge.amount}` : sql`${charge.inputTokens} + ${charge.outputTokens}`;
  const rows = await compared
    .leftJoinLateral(charge, sql`true`)
    .where(isCompared(filter, extent))
    .orderBy(sql`${figure} desc nulls last`, desc(calls.requestId))
    .limit(most);
  return { rows: rows.map(({ call }) => call), comparedTo };
}
