import { and, asc, eq, sql } from "drizzle-orm";
import { type Db, type RowOf, reportChange, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { ChannelId } from "@/server/domain/ids";
import {
  byName,
  emptySheet,
  isOfTokens,
  type PriceName,
  type PriceSheet,
  parseSheet,
  priceUnder,
  resolve,
  storedSheet,
} from "@/server/pricing";
import { isAmong, type Versioned, versionOf, versionsOf } from "./versions";

const { costPrices } = tables;
const keyed = { table: costPrices, key: [costPrices.modelId, costPrices.channelId] };

/** The costs of one model at one channel. */
export type CostEntry = { channelId: ChannelId; modelId: string; prices: PriceSheet };

const columns = {
  channelId: costPrices.channelId,
  modelId: costPrices.modelId,
  prices: costPrices.prices,
};

const toEntry = ({ prices, ...at }: RowOf<typeof columns>): CostEntry => ({
  ...at,
  prices: parseSheet(prices),
});

const has = ({ channelId, modelId }: { channelId?: ChannelId | undefined; modelId?: string | undefined }) =>
  and(
    channelId === undefined ? undefined : eq(costPrices.channelId, channelId),
    modelId === undefined ? undefined : eq(costPrices.modelId, modelId),
  );

/** All costs that were entered, or those of a channel or a model. */
export async function listCostPrices(
  db: Db,
  filter: Partial<Omit<CostEntry, "prices">> = {},
): Promise<CostEntry[]> {
  const rows = await ormOf(db)
    .select(columns)
    .from(costPrices)
    .where(has(filter))
    .orderBy(asc(costPrices.modelId), asc(costPrices.channelId));
  return rows.map(toEntry);
}

/** The versions of all costs, by model. */
export async function listCostVersions(db: Db): Promise<string[]> {
  const order = sql`${costPrices.modelId}, ${costPrices.channelId}`;
  const [row] = await ormOf(db)
    .select({ versions: versionsOf(keyed, order) })
    .from(costPrices);
  return row?.versions ?? [];
}

export async function readCostVersions(db: Db, versions: string[]): Promise<Versioned<CostEntry>[]> {
  const rows = await ormOf(db)
    .select({ ...columns, version: versionOf(keyed) })
    .from(costPrices)
    .where(isAmong(keyed, versions));
  return rows.map(({ version, ...row }) => ({ version, row: toEntry(row) }));
}

/**
 * Replaces the costs of a model at a channel, in force in every process within a second. An empty sheet removes them:
 * the cost of later calls is then unknown. Returns the former sheet, empty if there was none. Charges already made keep
 * their cost.
 */
export async function saveCostPrices(db: Db, { channelId, modelId, prices }: CostEntry): Promise<PriceSheet> {
  const orm = ormOf(db);
  const [before] = await listCostPrices(db, { channelId, modelId });
  if (prices.size === 0) {
    await orm.delete(costPrices).where(has({ channelId, modelId }));
  } else {
    const values = { prices: storedSheet(prices), changedAt: new Date() };
    await orm
      .insert(costPrices)
      .values({ channelId, modelId, ...values })
      .onConflictDoUpdate({ target: [costPrices.channelId, costPrices.modelId], set: values });
  }
  await reportChange(db, "catalog");
  return before?.prices ?? emptySheet;
}

/**
 * The names of a model's prices that are below its cost at a channel, also under the conditions of either. A cost of an
 * item that the model has no price for is not compared.
 */
export function soldBelowCost(prices: PriceSheet, costs: PriceSheet): PriceName[] {
  const names = [...resolve(prices).keys(), ...[...costs.keys()].filter(isOfTokens)];
  const isBelow = (name: PriceName) => (priceUnder(prices, name) ?? 0n) < (priceUnder(costs, name) ?? 0n);
  return [...new Set(names)].sort(byName).filter(isBelow);
}
