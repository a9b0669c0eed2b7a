/** The catalog as it was entered; what is inherited stays visible, for forms and for the log of changes. */

import { asc, eq, type SQL } from "drizzle-orm";
import type { ModelKind } from "@/server/base/facts";
import type { Nanos } from "@/server/base/money";
import { Refusal } from "@/server/base/refusal";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";

const { models, videoPrices } = tables;

/** Nano-units for one video. */
export type VideoPrice = { durationSeconds: number; resolution: string; price: Nanos };

/** A model as it was entered. Prices are nano-units per million tokens. */
export type CatalogEntry = {
  id: string;
  kind: ModelKind;
  ownedBy: string;
  isEnabled: boolean;
  /** The operator says that it costs nothing. Without that and without a price it is not sold. */
  isFree: boolean;
  maxOutputTokens: number;
  inputPrice: Nanos;
  outputPrice: Nanos;
  /** null: what input costs. */
  cacheReadPrice: Nanos | null;
  /** null: what input costs. */
  cacheWritePrice: Nanos | null;
  /** null: what the other cache write costs. */
  cacheWrite1hPrice: Nanos | null;
  /** A combination that is not listed is not sold. */
  videoPrices: VideoPrice[];
  createdAt: Date;
};

const columns = {
  id: models.id,
  kind: models.kind,
  ownedBy: models.ownedBy,
  isEnabled: models.isEnabled,
  isFree: models.isFree,
  maxOutputTokens: models.maxOutputTokens,
  inputPrice: models.inputPrice,
  outputPrice: models.outputPrice,
  cacheReadPrice: models.cacheReadPrice,
  cacheWritePrice: models.cacheWritePrice,
  cacheWrite1hPrice: models.cacheWrite1hPrice,
  createdAt: models.createdAt,
};

async function selectEntries(db: Db, where: { model?: SQL; price?: SQL } = {}): Promise<CatalogEntry[]> {
  const rows = await ormOf(db).select(columns).from(models).where(where.model).orderBy(asc(models.id));
  const prices = await ormOf(db)
    .select({
      modelId: videoPrices.modelId,
      durationSeconds: videoPrices.durationSeconds,
      resolution: videoPrices.resolution,
      price: videoPrices.price,
    })
    .from(videoPrices)
    .where(where.price)
    .orderBy(asc(videoPrices.durationSeconds), asc(videoPrices.resolution));
  return rows.map((row) => ({
    ...row,
    videoPrices: prices.filter(({ modelId }) => modelId === row.id).map(({ modelId: _, ...price }) => price),
  }));
}

/** Every model, the disabled ones too. */
export const listCatalog = (db: Db): Promise<CatalogEntry[]> => selectEntries(db);

export async function findModel(db: Db, id: string): Promise<CatalogEntry | null> {
  const [entry] = await selectEntries(db, { model: eq(models.id, id), price: eq(videoPrices.modelId, id) });
  return entry ?? null;
}

/** Throws Refusal. */
export async function getModel(db: Db, id: string): Promise<CatalogEntry> {
  const entry = await findModel(db, id);
  if (!entry) {
    throw new Refusal(`there is no model "${id}"`, "modelUnknown");
  }
  return entry;
}

/** As `getModel`, its row locked until the transaction ends: what is read is what the change finds. Throws Refusal. */
export async function lockModel(db: Db, id: string): Promise<CatalogEntry> {
  await ormOf(db).select({ id: models.id }).from(models).where(eq(models.id, id)).for("no key update");
  return await getModel(db, id);
}

/** Nobody has said what it costs, so it is not sold. A video is sold by the combination, each with its price. */
export const isUnpriced = ({
  kind,
  isFree,
  inputPrice,
  outputPrice,
}: Pick<CatalogEntry, "kind" | "isFree" | "inputPrice" | "outputPrice">): boolean =>
  kind !== "video" && !isFree && inputPrice === 0n && (kind === "embedding" || outputPrice === 0n);

/** Enabled models that are not sold for want of a price. */
export const findUnpriced = async (db: Db): Promise<CatalogEntry[]> =>
  (await listCatalog(db)).filter((entry) => entry.isEnabled && isUnpriced(entry));
