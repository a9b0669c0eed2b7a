import { and, asc, eq } from "drizzle-orm";
import type { ChannelId } from "@/server/base/ids";
import { type Nanos, nanos } from "@/server/base/money";
import { isUnit, nearestPrice, type UnitPrice } from "@/server/base/units";
import { type Db, reportChange, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { ListedPrices } from "./list-prices";
import { inherited, type Model, type Prices } from "./models";
import { classes, type PriceSheet, readSheet, storedSheet, videoPriceName } from "./price-sheet";

const { costPrices } = tables;

/** An operator's costs of a model at a channel, as calls are costed: every class has a price. Nano-units. */
export type CostPrices = {
  prices: Prices;
  unitPrices: UnitPrice[];
  /** For one video, by `videoPriceName`. */
  videos: ReadonlyMap<string, Nanos>;
};

/** The costs of one model at one channel. */
type CostEntry = { channelId: ChannelId; modelId: string; prices: PriceSheet };

/** A price list's prices, as a sheet of entered prices. */
export const enteredCosts = (listed: ListedPrices): PriceSheet =>
  Object.fromEntries(
    (Object.keys(classes) as (keyof Prices)[]).flatMap((name): [string, Nanos][] => {
      const price = listed[`${name}Price`];
      return price === null ? [] : [[classes[name], price]];
    }),
  );

export function toCostPrices(entered: PriceSheet): CostPrices {
  const { input = nanos(0n), output = nanos(0n), cache_read, cache_write, cache_write_1h } = entered;
  const others = Object.entries(entered);
  return {
    prices: inherited({
      input,
      output,
      cacheRead: cache_read,
      cacheWrite: cache_write,
      cacheWrite1h: cache_write_1h,
    }),
    unitPrices: others.flatMap(([unit, price]) => (isUnit(unit) ? [{ unit, price }] : [])),
    videos: new Map(others.filter(([name]) => name.startsWith("video:"))),
  };
}

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
    .select({ channelId: costPrices.channelId, modelId: costPrices.modelId, prices: costPrices.prices })
    .from(costPrices)
    .where(has(filter))
    .orderBy(asc(costPrices.modelId), asc(costPrices.channelId));
  return rows.map(({ prices, ...at }) => ({ ...at, prices: readSheet(prices) }));
}

/**
 * Replaces the costs of a model at a channel, in force in every process within a second. An empty sheet removes them:
 * the cost of later calls is then unknown. Returns the former sheet, empty if there was none. Charges already made keep
 * their cost.
 */
export async function saveCostPrices(db: Db, { channelId, modelId, prices }: CostEntry): Promise<PriceSheet> {
  const orm = ormOf(db);
  const [before] = await listCostPrices(db, { channelId, modelId });
  if (Object.keys(prices).length === 0) {
    await orm.delete(costPrices).where(has({ channelId, modelId }));
  } else {
    const values = { prices: storedSheet(prices), changedAt: new Date() };
    await orm
      .insert(costPrices)
      .values({ channelId, modelId, ...values })
      .onConflictDoUpdate({ target: [costPrices.channelId, costPrices.modelId], set: values });
  }
  await reportChange(db, "catalog");
  return before?.prices ?? {};
}

/** A channel's cost under a price's name. null: unknown. */
export function costOf({ prices, unitPrices, videos }: CostPrices, name: string): Nanos | null {
  const field = (Object.keys(classes) as (keyof Prices)[]).find((each) => classes[each] === name);
  return field ? prices[field] : (nearestPrice(unitPrices, name)?.price ?? videos.get(name) ?? null);
}

/**
 * The names of a model's prices that are below its cost at a channel. A cost under a name that the model has no price
 * for is not compared.
 */
export function soldBelowCost(
  { prices, unitPrices, videoPrices }: Pick<Model, "prices" | "unitPrices" | "videoPrices">,
  costs: CostPrices,
): string[] {
  return [
    ...(Object.keys(classes) as (keyof Prices)[]).flatMap((name) =>
      prices[name] < costs.prices[name] ? [classes[name]] : [],
    ),
    ...unitPrices.flatMap(({ unit, price }) => {
      const cost = nearestPrice(costs.unitPrices, unit);
      return cost && price < cost.price ? [unit] : [];
    }),
    ...videoPrices.flatMap((video) => {
      const name = videoPriceName(video);
      return video.price < (costs.videos.get(name) ?? 0n) ? [name] : [];
    }),
  ];
}
