import { gte, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { FAILED, medianOf, UNTIMED } from "./latency-buckets";

const { modelHours } = tables;

/**
 * A model's figures. null: too few calls to say. `uptime`: the share of calls that did not fail. `latencyMs`: the median.
 * `tokensPerSecond`: of all streams together.
 */
export type ModelFigures = {
  calls: number;
  uptime: number | null;
  latencyMs: number | null;
  tokensPerSecond: number | null;
};

/** Its figures of the last 24 hours and of the last 7 days. */
export type ModelTraffic = { day: ModelFigures; week: ModelFigures };

export const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;
export const WEEK_HOURS = 7 * DAY_HOURS;
/** With fewer calls, a median is chance, and one failure is several percent. */
const FEWEST_CALLS = 20;

/** The calls of a model that are in one bucket. */
type Sum = { bucket: number; calls: number; outputTokens: number; outputMs: number };

/** Pure. */
function figuresOf(sums: readonly Sum[]): ModelFigures {
  const total = (amounts: number[]) => amounts.reduce((sum, amount) => sum + amount, 0);
  const callsOf = (some: readonly Sum[]) => total(some.map(({ calls }) => calls));
  const calls = callsOf(sums);
  const failed = callsOf(sums.filter(({ bucket }) => bucket === FAILED));
  const timed = sums.filter(({ bucket }) => bucket > UNTIMED);
  const outputMs = total(timed.map((sum) => sum.outputMs));
  const isTimed = callsOf(timed) >= FEWEST_CALLS;
  return {
    calls,
    uptime: calls < FEWEST_CALLS ? null : (calls - failed) / calls,
    latencyMs: isTimed ? medianOf(new Map(timed.map((sum) => [sum.bucket, sum.calls]))) : null,
    tokensPerSecond:
      isTimed && outputMs > 0 ? (total(timed.map((sum) => sum.outputTokens)) / outputMs) * 1000 : null,
  };
}

/**
 * The traffic of all models that had calls in the last week. The database adds up the hours, and answers one row for each
 * model and bucket: some thousand.
 */
export async function readTraffic(db: Db, now: Date): Promise<Map<string, ModelTraffic>> {
  const hoursAgo = (hours: number) => new Date(now.getTime() - hours * HOUR_MS);
  const isOfDay = sql`filter (where ${gte(modelHours.hour, hoursAgo(DAY_HOURS))})`;
  const sumOf = (column: PgColumn, filter = sql``) =>
    sql`coalesce(sum(${column}) ${filter}, 0)`.mapWith(Number);
  const sumsOf = (filter = sql``) => ({
    calls: sumOf(modelHours.calls, filter),
    outputTokens: sumOf(modelHours.outputTokens, filter),
    outputMs: sumOf(modelHours.outputMs, filter),
  });
  const { modelId, bucket } = modelHours;
  const rows = await ormOf(db)
    .select({ modelId, bucket, day: sumsOf(isOfDay), week: sumsOf() })
    .from(modelHours)
    .where(gte(modelHours.hour, hoursAgo(WEEK_HOURS)))
    .groupBy(modelId, bucket);
  const sums = new Map<string, Record<keyof ModelTraffic, Sum[]>>();
  for (const row of rows) {
    const { day, week } = sums.get(row.modelId) ?? { day: [], week: [] };
    day.push({ bucket: row.bucket, ...row.day });
    week.push({ bucket: row.bucket, ...row.week });
    sums.set(row.modelId, { day, week });
  }
  return new Map(
    [...sums].map(([id, { day, week }]) => [id, { day: figuresOf(day), week: figuresOf(week) }]),
  );
}
