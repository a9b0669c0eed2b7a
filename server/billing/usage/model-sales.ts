import { and, eq, inArray, notInArray, sql } from "drizzle-orm";
import { type Nanos, nanos } from "@/server/base/money";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { AccountId } from "@/server/domain/ids";
import type { Units } from "@/server/domain/units";
import { eachCount, type TokenCounts } from "@/server/pricing";

const { ledgerEntries } = tables;

/** Sums of a month's charges for a model: calls, amount, and counts of each class and unit. */
export type ModelSales = {
  modelId: string;
  calls: number;
  amount: Nanos;
  /** Charges without tokens and units, such as videos. */
  whole: { calls: number; amount: Nanos };
  units: Units;
} & TokenCounts;

const count = (column: Parameters<typeof sql>[1]) => sql`coalesce(sum(${column}), 0)`.mapWith(Number);

/** `scope`: restricts the sums to some accounts, or to all others. */
type SalesQuery = {
  period: string;
  modelIds: readonly string[];
  scope?: { accountIds: readonly AccountId[]; isAllBut: boolean };
};

/** Unit counts of a month's charges, by model and unit. */
async function unitsSold(db: Db, query: SalesQuery): Promise<Map<string, Record<string, number>>> {
  const unit = sql`unit.key`.mapWith(String).as("unit");
  const rows = await ormOf(db)
    .select({ modelId: ledgerEntries.modelId, unit, count: count(sql`unit.value::numeric`) })
    .from(ledgerEntries)
    .crossJoinLateral(sql`jsonb_each_text(${ledgerEntries.units}) as unit`)
    .where(ofMonth(query))
    .groupBy(ledgerEntries.modelId, unit);
  const sold = new Map<string, Record<string, number>>();
  for (const row of rows) {
    const id = row.modelId ?? "";
    sold.set(id, { ...sold.get(id), [row.unit]: row.count });
  }
  return sold;
}

const ofMonth = ({ period, modelIds, scope }: SalesQuery) =>
  and(
    scope && (scope.isAllBut ? notInArray : inArray)(ledgerEntries.accountId, [...scope.accountIds]),
    eq(ledgerEntries.period, period),
    eq(ledgerEntries.kind, "capture"),
    inArray(ledgerEntries.modelId, [...modelIds]),
  );

/** The sales of some models in a month, from the ledger's charges. Empty for archived months. */
export async function salesByModel(db: Db, query: SalesQuery): Promise<ModelSales[]> {
  if (query.modelIds.length === 0) {
    return [];
  }
  const isWhole = sql`${ledgerEntries.prices} ? 'video'`;
  const rows = await ormOf(db)
    .select({
      modelId: ledgerEntries.modelId,
      calls: sql`count(*)`.mapWith(Number),
      amount: sql`coalesce(sum(${ledgerEntries.amount}), 0)`.mapWith((sum: string) => nanos(sum)),
      wholeCalls: sql`count(*) filter (where ${isWhole})`.mapWith(Number),
      wholeAmount: sql`coalesce(sum(${ledgerEntries.amount}) filter (where ${isWhole}), 0)`.mapWith(
        (sum: string) => nanos(sum),
      ),
      ...eachCount((member) => count(ledgerEntries[member])),
    })
    .from(ledgerEntries)
    .where(ofMonth(query))
    .groupBy(ledgerEntries.modelId);
  const units = await unitsSold(db, query);
  return rows.map(({ modelId, wholeCalls, wholeAmount, ...row }) => ({
    ...row,
    modelId: modelId ?? "",
    whole: { calls: wholeCalls, amount: wholeAmount },
    units: units.get(modelId ?? "") ?? {},
  }));
}
