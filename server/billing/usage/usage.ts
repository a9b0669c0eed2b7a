import { and, asc, desc, eq, inArray, or, sql } from "drizzle-orm";
import { type Nanos, nanos } from "@/server/base/money";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { UsageBy } from "@/server/domain/enums";
import type { AccountId } from "@/server/domain/ids";
import { isHourIn } from "./hours-in-span";
import { pointsOfSpan, type UsageSpan } from "./usage-span";

const { spendHours } = tables;

/**
 * Sums of calls; `amount` in nano-units, input tokens of every class. `cachedTokens`: input tokens read from a cache,
 * out of the `cachedOfTokens` for which that is known.
 */
type UsageSums = Record<CountName, number> & { amount: Nanos };

type CountName = "calls" | "inputTokens" | "outputTokens" | "cachedTokens" | "cachedOfTokens";

/** `id`: a model's name, a key's or an account's identifier, or a key's and a model's (`keyAndModelOf`). */
export type UsageGroup = UsageSums & { id: string; before: UsageSums };

type UsageScope = { accountId?: AccountId | undefined; span: UsageSpan };

const columns = {
  model: spendHours.modelId,
  key: spendHours.keyId,
  key_model: sql<string>`${spendHours.keyId} || ' ' || ${spendHours.modelId}`,
  account: spendHours.accountId,
} as const satisfies Record<UsageBy, unknown>;

const isIn = (span: UsageSpan) => isHourIn(spendHours, span);

const isOf = (accountId: AccountId | undefined) =>
  accountId === undefined ? undefined : eq(spendHours.accountId, accountId);

const sumIn = (span: UsageSpan, name: CountName | "amount") =>
  sql`coalesce(sum(${spendHours[name]}) filter (where ${isIn(span)}), 0)`;

const sumsIn = (span: UsageSpan) => {
  const count = (name: CountName) => sumIn(span, name).mapWith(Number);
  return {
    calls: count("calls"),
    amount: sumIn(span, "amount").mapWith(nanos),
    inputTokens: count("inputTokens"),
    outputTokens: count("outputTokens"),
    cachedTokens: count("cachedTokens"),
    cachedOfTokens: count("cachedOfTokens"),
  };
};

/** The sums of both spans, flat, for a select. */
function bothSums(span: UsageSpan, before: UsageSpan) {
  const { calls, amount, inputTokens, outputTokens, cachedTokens, cachedOfTokens } = sumsIn(before);
  return {
    ...sumsIn(span),
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
export async function totalUsage(db: Db, { accountId, span, before }: UsageComparison) {
  const [row] = await ormOf(db)
    .select(bothSums(span, before))
    .from(spendHours)
    .where(and(isOf(accountId), or(isIn(span), isIn(before))));
  // An aggregate without groups always has one row.
  return nested(row as FlatUsage);
}

/** The same by group: the `limit` groups with the highest charges, highest first. */
export async function usageByGroup(
  db: Db,
  { accountId, span, before, by, limit }: UsageComparison & { by: UsageBy; limit: number },
): Promise<UsageGroup[]> {
  const figures = bothSums(span, before);
  const id = columns[by];
  const rows = await ormOf(db)
    .select({ id: sql`${id}`.mapWith(String), ...figures })
    .from(spendHours)
    .where(and(isOf(accountId), or(isIn(span), isIn(before))))
    .groupBy(id)
    .orderBy(desc(figures.amount), desc(figures.beforeAmount), asc(id))
    .limit(limit);
  return rows.map(nested);
}

type Point = { calls: number; amount: Nanos; tokens: number };
/** `id` null: the sum of all other groups. */
export type UsageSeries = { id: string | null; points: Point[] };

const formats = { hour: 'YYYY-MM-DD"T"HH24', day: "YYYY-MM-DD", month: "YYYY-MM" };

/**
 * The charges of a span over time: one series for each of `ids`, and one for the rest. A charge outside its month
 * counts at the month's edge.
 */
export async function usageOverTime(
  db: Db,
  { accountId, span, by, ids, timeZone }: UsageScope & { by: UsageBy; ids: string[]; timeZone: string },
) {
  const { unit, points } = pointsOfSpan(span, timeZone);
  const last = new Date(span.until.getTime() - 1);
  const hour = sql`
    least(greatest(${spendHours.hour}, ${span.from.toISOString()}::timestamptz), ${last.toISOString()}::timestamptz)`;
  const zone = unit === "hour" ? "UTC" : timeZone;
  const point = sql`to_char(${hour} at time zone ${zone}, ${formats[unit]})`.mapWith(String).as("point");
  const id = columns[by];
  const own =
    ids.length === 0 ? sql`null::text` : sql`case when ${inArray(sql<string>`${id}`, ids)} then ${id} end`;
  const series = own.mapWith((value: string) => value).as("series");
  const rows = await ormOf(db)
    .select({
      point,
      id: series,
      calls: sql`sum(${spendHours.calls})`.mapWith(Number),
      amount: sql`sum(${spendHours.amount})`.mapWith(nanos),
      tokens: sql`sum(${spendHours.inputTokens} + ${spendHours.outputTokens})`.mapWith(Number),
    })
    .from(spendHours)
    .where(and(isOf(accountId), isIn(span)))
    .groupBy(point, series);
  const places = new Map(points.map((name, place) => [name, place]));
  const drawn = new Map<string | null, Point[]>(
    ids.map((seriesId) => [seriesId, points.map(() => ({ calls: 0, amount: nanos(0n), tokens: 0 }))]),
  );
  for (const { point: name, id: whose, ...figures } of rows) {
    const line = drawn.get(whose) ?? points.map(() => ({ calls: 0, amount: nanos(0n), tokens: 0 }));
    const place = places.get(name);
    if (place !== undefined) {
      line[place] = figures;
      drawn.set(whose, line);
    }
  }
  return {
    unit,
    points,
    series: [...drawn].map(([seriesId, line]): UsageSeries => ({ id: seriesId, points: line })),
  };
}
