import { and, asc, desc, eq, gt, lte, sql } from "drizzle-orm";
import { Refusal } from "@/server/base/refusal";
import { type Db, reportChange, rowOrRefuse, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { type Entered, enteredOf, type PriceSheet, readSheet, storedSheet } from "./price-sheet";

const { modelPrices } = tables;

/** What a model costs from a moment on, all of it. `enteredBy`: null is the gateway itself, or nobody knows. */
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

/** A model has no more to come at a time: the catalog is in memory with all of them. */
const MOST_TO_COME = 12;

const isToCome = (modelId?: string) =>
  and(
    sql`not ${modelPrices.isWritten}`,
    modelId === undefined ? undefined : eq(modelPrices.modelId, modelId),
  );

/** What is not yet in `models`, of all models or of one, the first to begin first. */
export async function listToCome(db: Db, modelId?: string): Promise<DatedPrice[]> {
  const rows = await ormOf(db)
    .select(columns)
    .from(modelPrices)
    .where(isToCome(modelId))
    .orderBy(asc(modelPrices.beginsAt), asc(modelPrices.modelId));
  return rows.map(({ prices, ...row }) => ({ ...row, prices: readSheet(prices) }));
}

/** Those that held, the one that does and those to come, the last first. */
export async function listModelPrices(db: Db, modelId: string, limit: number): Promise<DatedPrice[]> {
  const rows = await ormOf(db)
    .select(columns)
    .from(modelPrices)
    .where(eq(modelPrices.modelId, modelId))
    .orderBy(desc(modelPrices.beginsAt))
    .limit(limit);
  return rows.map(({ prices, ...row }) => ({ ...row, prices: readSheet(prices) }));
}

/** Models as they are sold at a moment, of what is written and what is to come, in its order. Pure. */
export function pricedAt<Entry extends Entered & { id: string; isFree: boolean }>(
  written: readonly Entry[],
  toCome: readonly Pick<DatedPrice, "modelId" | "beginsAt" | "prices" | "isFree">[],
  at: Date,
): Entry[] {
  const last = new Map(
    toCome.filter(({ beginsAt }) => beginsAt <= at).map((price) => [price.modelId, price] as const),
  );
  return written.map((entry) => {
    const begun = last.get(entry.id);
    return begun ? { ...entry, ...enteredOf(begun.prices), isFree: begun.isFree } : entry;
  });
}

/** Of a model whose row is locked: what has begun by then is written there now. */
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

/** Keeps the price that a model has now, where none of it has been kept: history begins with it. Its row is locked. */
export async function keepFirst(db: Db, { modelId, since, prices, isFree }: First): Promise<void> {
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
 * Keeps what was written to a model's row as its price from then on. `before`: what it was until then, which is kept,
 * too, where nobody has. Of a model whose row is locked; the same moment again replaces.
 */
export async function recordPrice(db: Db, { modelId, at, by, before, ...now }: Recorded): Promise<void> {
  if (before) {
    await keepFirst(db, { modelId, ...before });
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
 * Has a price begin at a moment that is to come, in place of one that was to begin at the same. Of a model whose row is
 * locked. Throws Refusal.
 */
export async function keepToCome(db: Db, { prices, enteredAt, ...price }: DatedPrice): Promise<void> {
  if (price.beginsAt <= enteredAt) {
    throw new Refusal(
      "a price begins at a moment that is to come; without one it begins at once",
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
      `"${price.modelId}" has ${MOST_TO_COME} prices to come already: withdraw one first`,
      "pricesToComeTooMany",
      { name: price.modelId, max: MOST_TO_COME },
    );
  }
  await reportChange(db, "catalog");
}

/** Nobody is known any more to have entered the prices that somebody did. */
export async function forgetPricer(
  db: Db,
  { email, erased }: { email: string; erased: string },
): Promise<void> {
  await ormOf(db).update(modelPrices).set({ enteredBy: erased }).where(eq(modelPrices.enteredBy, email));
}

/** Takes back a price that has not begun, and answers it. Of a model whose row is locked. Throws Refusal. */
export async function withdrawPrice(
  db: Db,
  { modelId, beginsAt, now }: Pick<DatedPrice, "modelId" | "beginsAt"> & { now: Date },
): Promise<DatedPrice> {
  const { prices, ...row } = await rowOrRefuse(
    ormOf(db)
      .delete(modelPrices)
      .where(and(isToCome(modelId), eq(modelPrices.beginsAt, beginsAt), gt(modelPrices.beginsAt, now)))
      .returning(columns),
    () => new Refusal(`no price of "${modelId}" is to begin at that moment`, "priceToComeUnknown"),
  );
  await reportChange(db, "catalog");
  return { ...row, prices: readSheet(prices) };
}
