/**
 * The catalog as entered: an inherited price is null here, so that forms and the log of changes show it as inherited.
 */

import { asc, eq, type SQL, sql } from "drizzle-orm";
import { systemClock } from "@/server/base/clock";
import { nanos } from "@/server/base/money";
import { Refusal } from "@/server/base/refusal";
import { type UnitPrice, unitNameOf } from "@/server/base/units";
import { type Db, type RowOf, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { listToCome, pricedAt } from "./model-prices";
import { writeBegun } from "./write-prices";

const { models, videoPrices } = tables;

const columns = {
  id: models.id,
  kind: models.kind,
  ownedBy: models.ownedBy,
  isEnabled: models.isEnabled,
  isFree: models.isFree,
  routing: models.routing,
  hedgeAfterMs: models.hedgeAfterMs,
  maxOutputTokens: models.maxOutputTokens,
  contextWindow: models.contextWindow,
  inputModalities: models.inputModalities,
  outputModalities: models.outputModalities,
  hasTools: models.hasTools,
  hasThinking: models.hasThinking,
  inputPrice: models.inputPrice,
  outputPrice: models.outputPrice,
  cacheReadPrice: models.cacheReadPrice,
  cacheWritePrice: models.cacheWritePrice,
  cacheWrite1hPrice: models.cacheWrite1hPrice,
  unitPrices: models.unitPrices,
  createdAt: models.createdAt,
};

const priceColumns = {
  durationSeconds: videoPrices.durationSeconds,
  resolution: videoPrices.resolution,
  price: videoPrices.price,
};

/** Nano-units for one video. A combination that is not listed is not sold. */
type VideoPrice = RowOf<typeof priceColumns>;

/** A model as entered. Prices are nano-units per million tokens; null: inherited (`inherited` in `models.ts`). */
export type CatalogEntry = Omit<RowOf<typeof columns>, "unitPrices"> & {
  videoPrices: VideoPrice[];
  unitPrices: UnitPrice[];
};

/** Sorted by name, so that lists can be compared. */
const toUnitPrices = (stored: Record<string, string>): UnitPrice[] =>
  Object.entries(stored)
    .map(([unit, price]) => ({ unit, price: nanos(price) }))
    .sort((left, right) => (left.unit < right.unit ? -1 : 1));

async function selectWritten(db: Db, where: { model?: SQL; price?: SQL } = {}): Promise<CatalogEntry[]> {
  const rows = await ormOf(db)
    .select(columns)
    .from(models)
    .where(where.model)
    .orderBy(sql`${models.id} collate "C"`);
  const prices = await ormOf(db)
    .select({ modelId: videoPrices.modelId, ...priceColumns })
    .from(videoPrices)
    .where(where.price)
    .orderBy(asc(videoPrices.durationSeconds), asc(videoPrices.resolution));
  return rows.map((row) => ({
    ...row,
    unitPrices: toUnitPrices(row.unitPrices),
    videoPrices: prices.filter(({ modelId }) => modelId === row.id).map(({ modelId: _, ...price }) => price),
  }));
}

/** Every model, disabled ones included, with the prices in its row; a later price may have begun already. */
export const listWritten = (db: Db): Promise<CatalogEntry[]> => selectWritten(db);

/** Every model, disabled ones included, with its prices at a moment. */
export async function listCatalog(db: Db, at = systemClock()): Promise<CatalogEntry[]> {
  // Read first: a price that is written meanwhile is then in one of the two.
  const toCome = await listToCome(db);
  return pricedAt(await listWritten(db), toCome, at);
}

/** A model with its prices at a moment. */
export async function findModel(db: Db, id: string, at = systemClock()): Promise<CatalogEntry | null> {
  const toCome = await listToCome(db, id);
  const written = await selectWritten(db, { model: eq(models.id, id), price: eq(videoPrices.modelId, id) });
  const [entry] = pricedAt(written, toCome, at);
  return entry ?? null;
}

/** A model with its prices at a moment. Throws Refusal. */
export async function getModel(db: Db, id: string, at = systemClock()): Promise<CatalogEntry> {
  const entry = await findModel(db, id, at);
  if (!entry) {
    throw new Refusal(`model "${id}" does not exist`, "modelUnknown");
  }
  return entry;
}

/**
 * Locks a model's row, if it exists, until the transaction ends, and writes a price that has begun by then to it.
 * Returns the model.
 */
export async function lockWritten(db: Db, id: string, at: Date): Promise<CatalogEntry | null> {
  await ormOf(db).select({ id: models.id }).from(models).where(eq(models.id, id)).for("no key update");
  await writeBegun(db, id, at);
  return await findModel(db, id, at);
}

/**
 * As `getModel`, with the row locked until the transaction ends, so that the change finds what was read. Throws
 * Refusal.
 */
export async function lockModel(db: Db, id: string): Promise<CatalogEntry> {
  const at = systemClock();
  await lockWritten(db, id, at);
  return await getModel(db, id, at);
}

/**
 * Whether a model has no price and is not marked as free, so that it is not sold. A video model never counts as
 * unpriced: each combination has its own price.
 */
export const isUnpriced = ({
  kind,
  isFree,
  inputPrice,
  outputPrice,
  unitPrices,
}: Pick<CatalogEntry, "kind" | "isFree" | "inputPrice" | "outputPrice" | "unitPrices">): boolean => {
  const hasTokenPrice = inputPrice > 0n || (kind !== "embedding" && outputPrice > 0n);
  // Chat and embedding models are priced by tokens, whatever other units they have, unless each call has a price.
  const isOfTokens = kind === "chat" || kind === "embedding";
  const hasUnitPrice = unitPrices.some(
    ({ unit, price }) => price > 0n && (!isOfTokens || unitNameOf(unit) === "request"),
  );
  return kind !== "video" && !isFree && !hasTokenPrice && !hasUnitPrice;
};

/** Enabled models that are not sold because they have no price. */
export const findUnpriced = async (db: Db): Promise<CatalogEntry[]> =>
  (await listCatalog(db)).filter((entry) => entry.isEnabled && isUnpriced(entry));
