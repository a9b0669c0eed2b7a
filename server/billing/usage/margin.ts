import { asc, desc, or, sql } from "drizzle-orm";
import { type Nanos, nanos } from "@/server/base/money";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { MarginBy } from "@/server/domain/enums";
import { isHourIn } from "./hours-in-span";
import type { UsageSpan } from "./usage-span";

const { costHours } = tables;

/** Sums over calls with a known cost: their charges, and the amount due to their channels. Nano-units. */
export type Earned = { calls: number; amount: Nanos; cost: Nanos };

/** `id`: a model's name, or the identifier of a channel or an account. */
export type EarnedGroup = Earned & { id: string; before: Earned };

type MarginComparison = { span: UsageSpan; before: UsageSpan };

const columns = {
  model: costHours.modelId,
  channel: costHours.channelId,
  account: costHours.accountId,
} as const satisfies Record<MarginBy, unknown>;

function sumsIn(span: UsageSpan) {
  const sum = (column: (typeof costHours)["calls" | "amount" | "cost"]) =>
    sql`coalesce(sum(${column}) filter (where ${isHourIn(costHours, span)}), 0)`;
  return {
    calls: sum(costHours.calls).mapWith(Number),
    amount: sum(costHours.amount).mapWith(nanos),
    cost: sum(costHours.cost).mapWith(nanos),
  };
}

function bothSums({ span, before }: MarginComparison) {
  const { calls, amount, cost } = sumsIn(before);
  return { ...sumsIn(span), beforeCalls: calls, beforeAmount: amount, beforeCost: cost };
}

type FlatMargin = Earned & { beforeCalls: number; beforeAmount: Nanos; beforeCost: Nanos };

const nested = <Row extends FlatMargin>({ beforeCalls, beforeAmount, beforeCost, ...row }: Row) => ({
  ...row,
  before: { calls: beforeCalls, amount: beforeAmount, cost: beforeCost } satisfies Earned,
});

const isInEither = ({ span, before }: MarginComparison) =>
  or(isHourIn(costHours, span), isHourIn(costHours, before));

/** Sums of all calls with a known cost in a span and in the one before it. */
export async function totalEarned(db: Db, compared: MarginComparison) {
  const [row] = await ormOf(db).select(bothSums(compared)).from(costHours).where(isInEither(compared));
  // An aggregate without groups always has one row.
  return nested(row as FlatMargin);
}

/** The same by model, channel or account: the `limit` groups with the highest charges, highest first. */
export async function earnedByGroup(
  db: Db,
  { by, limit, ...compared }: MarginComparison & { by: MarginBy; limit: number },
): Promise<EarnedGroup[]> {
  const figures = bothSums(compared);
  const id = columns[by];
  const rows = await ormOf(db)
    .select({ id: sql`${id}`.mapWith(String), ...figures })
    .from(costHours)
    .where(isInEither(compared))
    .groupBy(id)
    .orderBy(desc(figures.amount), asc(id))
    .limit(limit);
  return rows.map(nested);
}
