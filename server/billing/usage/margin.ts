import { asc, desc, sql } from "drizzle-orm";
import { type Nanos, nanos } from "@/server/base/money";
import type { Db } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { MarginBy } from "@/server/domain/enums";
import { type SummedSpans, summedRows } from "./summed-rows";

/** Sums over calls with a known cost: their charges, and the amount due to their channels. Nano-units. */
export type Earned = { calls: number; amount: Nanos; cost: Nanos };

/** `id`: a model's name, or the identifier of a channel or an account. */
export type EarnedGroup = Earned & { id: string; before: Earned };

type MarginComparison = Required<Pick<SummedSpans, "span" | "before" | "timeZone">>;

const columns = { model: "model_id", channel: "channel_id", account: "account_id" } as const satisfies Record<
  MarginBy,
  string
>;

function sumsIn(isBefore: boolean) {
  const sum = (column: string) =>
    sql`coalesce(sum(${sql.raw(column)}) filter (where ${sql.raw(isBefore ? "" : "not ")} is_before), 0)`;
  return {
    calls: sum("calls").mapWith(Number),
    amount: sum("amount").mapWith(nanos),
    cost: sum("cost").mapWith(nanos),
  };
}

function bothSums() {
  const { calls, amount, cost } = sumsIn(true);
  return { ...sumsIn(false), beforeCalls: calls, beforeAmount: amount, beforeCost: cost };
}

type FlatMargin = Earned & { beforeCalls: number; beforeAmount: Nanos; beforeCost: Nanos };

const nested = <Row extends FlatMargin>({ beforeCalls, beforeAmount, beforeCost, ...row }: Row) => ({
  ...row,
  before: { calls: beforeCalls, amount: beforeAmount, cost: beforeCost } satisfies Earned,
});

/** Sums of all calls with a known cost in a span and in the one before it. */
export async function totalEarned(db: Db, compared: MarginComparison) {
  const rows = await summedRows(db, "cost", { ...compared, isOfAll: true });
  const [row] = await ormOf(db).select(bothSums()).from(sql`${rows} as sums`);
  // An aggregate without groups always has one row.
  return nested(row as FlatMargin);
}

/** The same by model, channel or account: the `limit` groups with the highest charges, highest first. */
export async function earnedByGroup(
  db: Db,
  { by, limit, ...compared }: MarginComparison & { by: MarginBy; limit: number },
): Promise<EarnedGroup[]> {
  const figures = bothSums();
  const id = sql.raw(columns[by]);
  const summed = await summedRows(db, "cost", { ...compared, isOfAll: by !== "account" });
  const rows = await ormOf(db)
    .select({ id: sql`${id}`.mapWith(String), ...figures })
    .from(sql`${summed} as sums`)
    .groupBy(id)
    .orderBy(desc(figures.amount), asc(id))
    .limit(limit);
  return rows.map(nested);
}
