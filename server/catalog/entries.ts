/** The catalog as entered: a class of tokens without its own price is not in the sheet. */

import { eq, type SQL, sql } from "drizzle-orm";
import { systemClock } from "@/server/base/clock";
import { type Db, type RowOf, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { Refusal } from "@/server/domain/refusal";
import { unitNameOf } from "@/server/domain/units";
import { hasConditions, type PriceSheet } from "@/server/pricing";
import { listToCome, pricedAt } from "./model-prices";
import { isOfModel, isOfModels, priceColumns, readGrids, readPrices } from "./previous-columns";
import { isAmong, type Versioned, versionOf, versionsOf } from "./versions";
import { writeBegun } from "./write-prices";

const { models } = tables;
const keyed = { table: models, key: [models.id] };

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
  createdAt: models.createdAt,
};

/** A model and its price sheet. A video that the sheet does not name is not sold. */
export type Model = RowOf<typeof columns> & { prices: PriceSheet };

async function selectWritten(db: Db, where: { model?: SQL; price?: SQL } = {}): Promise<Model[]> {
  const rows = await ormOf(db)
    .select({ model: columns, stored: priceColumns })
    .from(models)
    .where(where.model)
    .orderBy(sql`${models.id} collate "C"`);
  const grids = await readGrids(db, where.price);
  return rows.map(({ model, stored }) => ({
    ...model,
    prices: readPrices(stored, grids.get(model.id) ?? []),
  }));
}

/** Every model, disabled ones included, with the prices in its row; a later price may have begun already. */
const listWritten = (db: Db): Promise<Model[]> => selectWritten(db);

/** The versions of the enabled models, in the order of their identifiers. */
export async function listModelVersions(db: Db): Promise<string[]> {
  const [row] = await ormOf(db)
    .select({ versions: versionsOf(keyed, sql`${models.id} collate "C"`) })
    .from(models)
    .where(eq(models.isEnabled, true));
  return row?.versions ?? [];
}

/** Models with the prices in their rows. */
export async function readModelVersions(db: Db, versions: string[]): Promise<Versioned<Model>[]> {
  const rows = await ormOf(db)
    .select({ model: columns, stored: priceColumns, version: versionOf(keyed) })
    .from(models)
    .where(isAmong(keyed, versions));
  const videos = rows.flatMap(({ model }) => (model.kind === "video" ? [model.id] : []));
  const grids = videos.length > 0 ? await readGrids(db, isOfModels(videos)) : new Map();
  return rows.map(({ model, stored, version }) => ({
    version,
    row: { ...model, prices: readPrices(stored, grids.get(model.id) ?? []) },
  }));
}

/** Every model, disabled ones included, with its prices at a moment. */
export async function listCatalog(db: Db, at = systemClock()): Promise<Model[]> {
  // Read first: a price that is written meanwhile is then in one of the two.
  const toCome = await listToCome(db);
  return pricedAt(await listWritten(db), toCome, at);
}

/** A model with its prices at a moment. */
export async function findModel(db: Db, id: string, at = systemClock()): Promise<Model | null> {
  const toCome = await listToCome(db, id);
  const written = await selectWritten(db, { model: eq(models.id, id), price: isOfModel(id) });
  const [entry] = pricedAt(written, toCome, at);
  return entry ?? null;
}

/** A model with its prices at a moment. Throws Refusal. */
export async function getModel(db: Db, id: string, at = systemClock()): Promise<Model> {
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
export async function lockWritten(db: Db, id: string, at: Date): Promise<Model | null> {
  await ormOf(db).select({ id: models.id }).from(models).where(eq(models.id, id)).for("no key update");
  await writeBegun(db, id, at);
  return await findModel(db, id, at);
}

/**
 * As `getModel`, with the row locked until the transaction ends, so that the change finds what was read. Throws
 * Refusal.
 */
export async function lockModel(db: Db, id: string): Promise<Model> {
  const at = systemClock();
  await lockWritten(db, id, at);
  return await getModel(db, id, at);
}

/**
 * Whether a model has no price and is not marked as free, so that it is not sold. A video model never counts as
 * unpriced: each combination has its own price.
 */
export function isUnpriced({ kind, isFree, prices }: Pick<Model, "kind" | "isFree" | "prices">): boolean {
  // Chat and embedding models are priced by tokens, whatever other units they have, unless each call has a price.
  const isOfTokens = kind === "chat" || kind === "embedding";
  const sells = (name: string): boolean => {
    if (name === "input" || name === "output") {
      return name === "input" || kind !== "embedding";
    }
    return isOfTokens ? name === "request" : unitNameOf(name) !== null;
  };
  const isPriced = [...prices].some(([name, price]) => price > 0n && !hasConditions(name) && sells(name));
  return kind !== "video" && !isFree && !isPriced;
}

/** Enabled models that are not sold because they have no price. */
export const findUnpriced = async (db: Db): Promise<Model[]> =>
  (await listCatalog(db)).filter((entry) => entry.isEnabled && isUnpriced(entry));
