/**
 * The columns in which release 0.2 reads and writes prices. It runs next to this release during an upgrade, so this
 * release writes the columns too, and believes them where they differ from the sheet: the other release wrote them
 * last. Remove this file, the columns and `video_prices` in the release after the next: no release in use reads them
 * then.
 */
import { asc, eq, inArray, type SQL } from "drizzle-orm";
import { nanos } from "@/server/base/money";
import { type Db, type RowOf, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import {
  areSameSheets,
  emptySheet,
  fieldsOf,
  hasConditions,
  type PriceSheet,
  parseSheet,
  storedSheet,
  type TokenPriceFields,
  toSheet,
  type VideoPrice,
  withFields,
  withoutConditions,
} from "@/server/pricing";

const { models, videoPrices } = tables;

/** The sheet, and the columns. */
export const priceColumns = {
  prices: models.prices,
  inputPrice: models.inputPrice,
  outputPrice: models.outputPrice,
  cacheReadPrice: models.cacheReadPrice,
  cacheWritePrice: models.cacheWritePrice,
  cacheWrite1hPrice: models.cacheWrite1hPrice,
  unitPrices: models.unitPrices,
} as const;

type StoredPrices = RowOf<typeof priceColumns>;

/** The columns for a sheet: they have no prices with conditions. */
export function columnsOf(sheet: PriceSheet): StoredPrices {
  const { unitPrices, videoPrices: _, conditionalPrices: __, ...tokens } = fieldsOf(sheet);
  return {
    ...tokens,
    prices: storedSheet(sheet),
    unitPrices: Object.fromEntries(unitPrices.map(({ unit, price }) => [unit, price.toString()])),
  };
}

/**
 * A model's sheet. If release 0.2 has changed the columns, the prices are those of the columns and the sheet's prices
 * with conditions, which that release does not know. A model that it made free has none of them.
 */
export function readPrices({ prices, unitPrices, ...tokens }: StoredPrices, grid: VideoPrice[]): PriceSheet {
  const sheet = parseSheet(prices);
  const columns = withFields(emptySheet, {
    ...(tokens satisfies TokenPriceFields<unknown>),
    unitPrices: Object.entries(unitPrices).map(([unit, price]) => ({ unit, price: nanos(price) })),
    videoPrices: grid,
  });
  if (areSameSheets(withoutConditions(sheet), columns)) {
    return sheet;
  }
  const isPriced = [...columns.values()].some((price) => price > 0n);
  return isPriced ? toSheet([...columns, ...[...sheet].filter(([name]) => hasConditions(name))]) : columns;
}

/** The prices of videos, by model. */
export async function readGrids(db: Db, where?: SQL): Promise<ReadonlyMap<string, VideoPrice[]>> {
  const rows = await ormOf(db)
    .select()
    .from(videoPrices)
    .where(where)
    .orderBy(asc(videoPrices.durationSeconds), asc(videoPrices.resolution));
  const grids = new Map<string, VideoPrice[]>();
  for (const { modelId, ...price } of rows) {
    grids.set(modelId, [...(grids.get(modelId) ?? []), price]);
  }
  return grids;
}

export const isOfModel = (id: string): SQL => eq(videoPrices.modelId, id);
export const isOfModels = (ids: string[]): SQL => inArray(videoPrices.modelId, ids);

/** Writes the prices of videos. The model's row must be locked. */
export async function writeGrid(db: Db, id: string, sheet: PriceSheet): Promise<void> {
  const { videoPrices: grid } = fieldsOf(sheet);
  await ormOf(db).delete(videoPrices).where(isOfModel(id));
  if (grid.length > 0) {
    await ormOf(db)
      .insert(videoPrices)
      .values(grid.map((price) => ({ ...price, modelId: id })));
  }
}
