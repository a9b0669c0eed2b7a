import { asc, desc, inArray, sql } from "drizzle-orm";
import { type Nanos, nanos } from "@/server/base/money";
import type { Db } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { UsageBy } from "@/server/domain/enums";
import type { AccountId } from "@/server/domain/ids";
import { startsArray } from "./day-parts";
import { summedRows } from "./summed-rows";
import { pointsOfSpan, startsOfPoints, type UsageSpan } from "./usage-span";

/**
 * Sums of calls; `amount` in nano-units, input tokens of every class. `cachedTokens`: input tokens read from a cache,
 * out of the `cachedOfTokens` for which that is known.
 */
type UsageSums = Record<CountName, number> & { amount: Nanos };

type CountName = "calls" | "inputTokens" | "outputTokens" | "cachedTokens" | "cachedOfTokens";

/** `id`: a model's name, a key's or an account's identifier, or a key's and a model's (`keyAndModelOf`). */
export type UsageGroup = UsageSums & { id: string; before: UsageSums };

type UsageScope = { accountId?: AccountId | undefined; span: UsageSpan; timeZone: string };

const columns: Record<UsageBy, string> = {
  model: "model_id",
  key: "key_id",
  key_model: "key_id || ' ' || model_id",
  account: "account_id",
};

type RowsOf = UsageScope & { before?: UsageSpan; by?: UsageBy; isByHour?: boolean };

/** The rows of one account, or of all. Without `by`, or by model, all accounts' need no account. */
const rowsOf = (db: Db, { accountId, by = "model", ...spans }: RowsOf) =>
  summedRows(db, "spend", {
    ...spans,
    accountIds: accountId === undefined ? undefined : [accountId],
    isOfAll: accountId === undefined && by === "model",
  });

const sumsIn = (isBefore: boolean) => {
  const sum = (column: string) =>
    sql`coalesce(sum(${sql.raw(column)}) filter (where ${sql.raw(isBefore ? "" : "not ")} is_before), 0)`;
  return {
    calls: sum("calls").mapWith(Number),
    amount: sum("amount").mapWith(nanos),
    inputTokens: sum("input_tokens").mapWith(Number),
    outputTokens: sum("output_tokens").mapWith(Number),
    cachedTokens: sum("cached_tokens").mapWith(Number),
    cachedOfTokens: sum("cached_of_tokens").mapWith(Number),
  };
};

/** The sums of both spans, flat, for a select. */
function bothSums() {
  const { calls, amount, inputTokens, outputTokens, cachedTokens, cachedOfTokens } = sumsIn(true);
  return {
    ...sumsIn(false),
    beforeCalls: calls,
    beforeAmount: amount,
    beforeInputTokens: inputTokens,
    beforeOutputTokens: outputTokens,
    beforeCachedTokens: cachedTokens,
    beforeCachedOfTokens: cachedOfTokens,
  };
}

type FlatUsage = UsageSums & {
  [Name in keyof UsageSums as `before${Capitalize<Name>}`]: UsageSums[Name];
};

const nested = <Row extends FlatUsage>(row: Row) => {
  const {
    beforeCalls: calls,
    beforeAmount: amount,
    beforeInputTokens: inputTokens,
    beforeOutputTokens: outputTokens,
    beforeCachedTokens: cachedTokens,
    beforeCachedOfTokens: cachedOfTokens,
    ...sums
  } = row;
  const before: UsageSums = { calls, amount, inputTokens, outputTokens, cachedTokens, cachedOfTokens };
  return { ...sums, before };
};

type UsageComparison = UsageScope & { before: UsageSpan };

/** All charges in a span and in the one before it. */
export async function totalUsage(db: Db, compared: UsageComparison) {
  const rows = await rowsOf(db, compared);
  const [row] = await ormOf(db).select(bothSums()).from(sql`${rows} as sums`);
  // An aggregate without groups always has one row.
  return nested(row as FlatUsage);
}

/** The same by group: the `limit` groups with the highest charges, highest first. */
export async function usageByGroup(
  db: Db,
  { by, limit, ...compared }: UsageComparison & { by: UsageBy; limit: number },
): Promise<UsageGroup[]> {
  const figures = bothSums();
  const id = sql.raw(columns[by]);
  const summed = await rowsOf(db, { ...compared, by });
  const rows = await ormOf(db)
    .select({ id: sql`${id}`.mapWith(String), ...figures })
    .from(sql`${summed} as sums`)
    .groupBy(id)
    .orderBy(desc(figures.amount), desc(figures.beforeAmount), asc(id))
    .limit(limit);
  return rows.map(nested);
}

type Point = { calls: number; amount: Nanos; tokens: number };
/** `id` null: the sum of all other groups. */
export type UsageSeries = { id: string | null; points: Point[] };

/**
 * The charges of a span over time: one series for each of `ids`, and one for the rest. A charge outside its month
 * counts at the month's edge.
 */
export async function usageOverTime(
  db: Db,
  { accountId, span, timeZone, by, ids }: UsageScope & { by: UsageBy; ids: string[] },
) {
  const { unit, points } = pointsOfSpan(span, timeZone);
  const starts = startsOfPoints({ unit, points }, timeZone);
  const begins = startsArray(starts);
  const place = sql`greatest(width_bucket(hour, ${begins}), 1) - 1`.mapWith(Number).as("place");
  const id = sql<string>`${sql.raw(columns[by])}`;
  const own = ids.length === 0 ? sql`null::text` : sql`case when ${inArray(id, ids)} then ${id} end`;
  const series = own.mapWith((value: string) => value).as("series");
  const summed = await rowsOf(db, { accountId, span, timeZone, by, isByHour: unit === "hour" });
  const rows = await ormOf(db)
    .select({
      place,
      id: series,
      calls: sql`sum(calls)`.mapWith(Number),
      amount: sql`sum(amount)`.mapWith(nanos),
      tokens: sql`sum(input_tokens + output_tokens)`.mapWith(Number),
    })
    .from(sql`${summed} as sums`)
    .groupBy(place, series);
  const nothing = () => points.map((): Point => ({ calls: 0, amount: nanos(0n), tokens: 0 }));
  const drawn = new Map<string | null, Point[]>(ids.map((seriesId) => [seriesId, nothing()]));
  for (const { place: at, id: whose, ...figures } of rows) {
    const line = drawn.get(whose) ?? nothing();
    line[at] = figures;
    drawn.set(whose, line);
  }
  return {
    unit,
    points,
    series: [...drawn].map(([seriesId, line]): UsageSeries => ({ id: seriesId, points: line })),
  };
}
