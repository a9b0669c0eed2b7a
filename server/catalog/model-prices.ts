import { and, asc, desc, eq, gt, lte, sql } from "drizzle-orm";
import { type Db, reportChange, rowOrRefuse, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { Refusal } from "@/server/domain/refusal";
import { type PriceSheet, parseSheet, storedSheet } from "@/server/pricing";
import { isAmong, type Versioned, versionOf, versionsOf } from "./versions";

const { modelPrices } = tables;
const keyed = { table: modelPrices, key: [modelPrices.modelId, modelPrices.beginsAt] };

/** All prices of a model from a moment on. `enteredBy`: null is the gateway itself, or unknown. */
export type DatedPrice = {
  modelId: string;
  beginsAt: Date;
  prices: PriceSheet;
  isFree: boolean;
  enteredBy: string | null;
  enteredAt: Date;
};

const columns = {
  modelId: modelPrices.modelId,
  beginsAt: modelPrices.beginsAt,
  prices: modelPrices.prices,
  isFree: modelPrices.isFree,
  enteredBy: modelPrices.enteredBy,
  enteredAt: modelPrices.enteredAt,
};

/** Scheduled prices of a model at a time: the catalog keeps all of them in memory. */
const MOST_TO_COME = 12;

const isToCome = (modelId?: string) =>
  and(
    sql`not ${modelPrices.isWritten}`,
    modelId === undefined ? undefined : eq(modelPrices.modelId, modelId),
  );

/** Scheduled prices that are not yet written to `models`, of all models or of one, the earliest first. */
export async function listToCome(db: Db, modelId?: string): Promise<DatedPrice[]> {
  const rows = await ormOf(db)
    .select(columns)
    .from(modelPrices)
    .where(isToCome(modelId))
    .orderBy(asc(modelPrices.beginsAt), asc(modelPrices.modelId));
  return rows.map(({ prices, ...row }) => ({ ...row, prices: parseSheet(prices) }));
}

/** The versions of what `listToCome` lists, in its order. */
export async function listVersionsToCome(db: Db): Promise<string[]> {
  const order = sql`${modelPrices.beginsAt}, ${modelPrices.modelId}`;
  const [row] = await ormOf(db)
    .select({ versions: versionsOf(keyed, order) })
    .from(modelPrices)
    .where(isToCome());
  return row?.versions ?? [];
}

export async function readVersionsToCome(db: Db, versions: string[]): Promise<Versioned<DatedPrice>[]> {
  const rows = await ormOf(db)
    .select({ ...columns, version: versionOf(keyed) })
    .from(modelPrices)
    .where(isAmong(keyed, versions));
  return rows.map(({ version, prices, ...row }) => ({
    version,
    row: { ...row, prices: parseSheet(prices) },
  }));
}

/** Past, present and scheduled prices of a model, the latest first. */
export async function listModelPrices(db: Db, modelId: string, limit: number): Promise<DatedPrice[]> {
  const rows = await ormOf(db)
    .select(columns)
    .from(modelPrices)
    .where(eq(modelPrices.modelId, modelId))
    .orderBy(desc(modelPrices.beginsAt))
    .limit(limit);
  return rows.map(({ prices, ...row }) => ({ ...row, prices: parseSheet(prices) }));
}

/** Returns the written models, in order, with the prices in force at a moment. Pure. */
export function pricedAt<Entry extends { id: string; isFree: boolean; prices: PriceSheet }>(
  written: readonly Entry[],
  toCome: readonly Pick<DatedPrice, "modelId" | "beginsAt" | "prices" | "isFree">[],
  at: Date,
): Entry[] {
  const last = new Map(
    toCome.filter(({ beginsAt }) => beginsAt <= at).map((price) => [price.modelId, price] as const),
  );
  return written.map((entry) => {
    const begun = last.get(entry.id);
    return begun ? { ...entry, prices: begun.prices, isFree: begun.isFree } : entry;
  });
}

/** Marks a model's begun prices as written to its row. The row must be locked. */
export async function markWritten(db: Db, modelId: string, at: Date): Promise<void> {
  await ormOf(db)
    .update(modelPrices)
    .set({ isWritten: true })
    .where(and(isToCome(modelId), lte(modelPrices.beginsAt, at)));
}

type Priced = Pick<DatedPrice, "prices" | "isFree">;
type First = Priced & { modelId: string; since: Date };
type Recorded = Priced & {
  modelId: string;
  at: Date;
  by: string | null;
  before: Omit<First, "modelId"> | null;
};

/**
 * Stores a model's present price as the start of its history, if the history is empty. The model's row must be locked.
 */
export async function recordInitialPrice(db: Db, { modelId, since, prices, isFree }: First): Promise<void> {
  if ((await listModelPrices(db, modelId, 1)).length === 0) {
    await ormOf(db)
      .insert(modelPrices)
      .values({
        ...{ modelId, beginsAt: since, enteredBy: null, enteredAt: since, isWritten: true },
        ...{ prices: storedSheet(prices), isFree },
      });
  }
}

/**
 * Stores the price that was written to a model's row, as its price from then on. `before`: the price until then, which
 * starts the history if that is empty. The model's row must be locked; a second price at the same moment replaces the
 * first.
 */
export async function recordPrice(db: Db, { modelId, at, by, before, ...now }: Recorded): Promise<void> {
  if (before) {
    await recordInitialPrice(db, { modelId, ...before });
  }
  const values = { prices: storedSheet(now.prices), isFree: now.isFree, enteredBy: by, enteredAt: at };
  await ormOf(db)
    .insert(modelPrices)
    .values({ ...values, modelId, beginsAt: at, isWritten: true })
    .onConflictDoUpdate({
      target: [modelPrices.modelId, modelPrices.beginsAt],
      set: { ...values, isWritten: true },
    });
}

/**
 * Schedules a price; it replaces one that was scheduled for the same moment. The model's row must be locked. Throws
 * Refusal.
 */
export async function keepToCome(db: Db, { prices, enteredAt, ...price }: DatedPrice): Promise<void> {
  if (price.beginsAt <= enteredAt) {
    throw new Refusal(
      "a scheduled price must start in the future; omit the time to apply it now",
      "priceBegun",
    );
  }
  const values = { prices: storedSheet(prices), isFree: price.isFree, enteredBy: price.enteredBy, enteredAt };
  await ormOf(db)
    .insert(modelPrices)
    .values({ ...price, ...values, isWritten: false })
    .onConflictDoUpdate({ target: [modelPrices.modelId, modelPrices.beginsAt], set: values });
  if ((await listToCome(db, price.modelId)).length > MOST_TO_COME) {
    throw new Refusal(
      `"${price.modelId}" already has ${MOST_TO_COME} scheduled prices: withdraw one first`,
      "pricesToComeTooMany",
      { name: price.modelId, max: MOST_TO_COME },
    );
  }
  await reportChange(db, "catalog");
}

/** Replaces the e-mail of an erased person in the prices that they entered. */
export async function forgetPricer(
  db: Db,
  { email, erased }: { email: string; erased: string },
): Promise<void> {
  await ormOf(db).update(modelPrices).set({ enteredBy: erased }).where(eq(modelPrices.enteredBy, email));
}

/** Withdraws a price that has not begun, and returns it. The model's row must be locked. Throws Refusal. */
export async function withdrawPrice(
  db: Db,
  { modelId, beginsAt, now }: Pick<DatedPrice, "modelId" | "beginsAt"> & { now: Date },
): Promise<DatedPrice> {
  const { prices, ...row } = await rowOrRefuse(
    ormOf(db)
      .delete(modelPrices)
      .where(and(isToCome(modelId), eq(modelPrices.beginsAt, beginsAt), gt(modelPrices.beginsAt, now)))
      .returning(columns),
    () => new Refusal(`"${modelId}" has no scheduled price at that time`, "priceToComeUnknown"),
  );
  await reportChange(db, "catalog");
  return { ...row, prices: parseSheet(prices) };
}
