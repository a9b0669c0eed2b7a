import { eq } from "drizzle-orm";
import { systemClock } from "@/server/base/clock";
import { type Db, reportChange, rowOrRefuse, tables, transaction } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { parseOrRefuse, Refusal } from "@/server/domain/refusal";
import {
  areSameSheets,
  emptySheet,
  fieldsOf,
  isOfVideo,
  type PriceFields,
  type PriceSheet,
  toSheet,
  withFields,
} from "@/server/pricing";
import { getModel, lockWritten, type Model } from "./entries";
import { ownerOfModel } from "./makers";
import { listedFactsOf } from "./model-facts";
import { recordPrice } from "./model-prices";
import { columnsOf, writeGrid } from "./previous-columns";
import { ModelChange } from "./schema";

const { models } = tables;

/** The longest answer of a chat model if none is set or listed. */
const USUAL_MAX_OUTPUT = 8_192;

/** The owner of a model whose name is no known maker's. */
const UNKNOWN_OWNER = "tollgate";

async function insertModel(db: Db, fresh: typeof models.$inferInsert): Promise<void> {
  await rowOrRefuse(
    ormOf(db).insert(models).values(fresh).onConflictDoNothing().returning({ id: models.id }),
    () => new Refusal(`a model "${fresh.id}" already exists`, "modelExists", { name: fresh.id }),
  );
}

/**
 * Inserts or updates a model, but never changes the kind: it would replace a model in service whose calls it cannot
 * answer.
 */
async function writeOver(
  db: Db,
  fresh: typeof models.$inferInsert,
  values: Partial<typeof models.$inferInsert>,
): Promise<void> {
  await rowOrRefuse(
    ormOf(db)
      .insert(models)
      .values(fresh)
      .onConflictDoUpdate({ target: models.id, set: values, setWhere: eq(models.kind, fresh.kind) })
      .returning({ id: models.id }),
    () =>
      new Refusal(
        `"${fresh.id}" already exists with another kind, which cannot be changed`,
        "modelKindFixed",
      ),
  );
}

/** A change of a model; `prices` replaces its whole sheet, and the members for prices change parts of it. */
export type ModelWithPrices = ModelChange & { prices?: PriceSheet | undefined };

type PriceChange = {
  sheet: PriceSheet | undefined;
  fields: Partial<PriceFields>;
  isFree: boolean | undefined;
};

/**
 * The sheet that a change leaves, and whether the model is then free; undefined members stay. A model is free or has a
 * price. The latest change decides; both in one change is an error.
 */
function settlePrices(before: PriceSheet, { sheet, fields, isFree }: PriceChange) {
  const isTouched = sheet !== undefined || Object.values(fields).some((price) => price !== undefined);
  const given = withFields(sheet ?? emptySheet, fields);
  const isPriced = isTouched && [...given].some(([name, price]) => price > 0n && !isOfVideo(name));
  if (isPriced && isFree) {
    throw new Refusal("a model can be free or have a price, but not both", "freeWithPrice");
  }
  const changed = withFields(sheet ?? before, fields);
  return {
    prices: isFree ? toSheet([...changed].filter(([name]) => isOfVideo(name))) : changed,
    isFree: isPriced ? false : isFree,
    isTouched: isTouched || isFree === true,
  };
}

/** Records a price that has changed. */
async function keepPrice(
  db: Db,
  { before, after, at, by }: { before: Model | null; after: Model; at: Date; by: string | null },
): Promise<void> {
  const was = before && { prices: before.prices, isFree: before.isFree, since: before.createdAt };
  const { id: modelId, prices, isFree } = after;
  if (was === null || was.isFree !== isFree || !areSameSheets(was.prices, prices)) {
    await recordPrice(db, { modelId, prices, isFree, at, by, before: was });
  }
}

/**
 * Adds the model; of two concurrent calls one adds it. Otherwise as `saveModel`. Throws Refusal if the model exists.
 */
export const createModel = (db: Db, change: ModelWithPrices, by: string | null = null): Promise<Model> =>
  writeModel(db, change, { isNew: true, by });

/**
 * Adds the model, or changes the members given; a price of null is inherited again, and video prices, if given, replace
 * the old grid. In force in every process within a second; running it twice changes nothing more. Models are disabled,
 * never deleted: ledger, tasks and keys refer to their identifiers. The former price is kept; `by`: the person who
 * changes it, null for the gateway itself. Throws Refusal.
 */
export const saveModel = (db: Db, change: ModelWithPrices, by: string | null = null): Promise<Model> =>
  writeModel(db, change, { isNew: false, by });

const priceMembers: readonly string[] = Object.keys(fieldsOf(emptySheet));

/** Separates the members for prices from the others. */
function splitPrices<Members extends Omit<ModelChange, "id">>(members: Members) {
  const entries = Object.entries(members);
  const pick = (isPrice: boolean) =>
    Object.fromEntries(entries.filter(([name]) => priceMembers.includes(name) === isPrice));
  return {
    prices: pick(true) as Partial<PriceFields>,
    others: pick(false) as Omit<Members, keyof PriceFields>,
  };
}

async function writeModel(
  db: Db,
  { prices: sheet, ...change }: ModelWithPrices,
  { isNew, by }: { isNew: boolean; by: string | null },
): Promise<Model> {
  const { id, ...members } = parseOrRefuse(ModelChange, change);
  const { prices: fields, others } = splitPrices(members);
  const { maxOutputTokens, ...facts } = listedFactsOf(others.kind, id);
  return await transaction(db, async (tx) => {
    const at = systemClock();
    const before = isNew ? null : await lockWritten(tx, id, at);
    const { prices, isFree, isTouched } = settlePrices(before?.prices ?? emptySheet, {
      ...{ sheet, fields, isFree: others.isFree },
    });
    const values = { ...others, isFree, ...(isTouched && columnsOf(prices)) };
    const fresh = {
      ...facts,
      ...columnsOf(prices),
      ...values,
      id,
      ownedBy: others.ownedBy ?? ownerOfModel(id) ?? UNKNOWN_OWNER,
      maxOutputTokens: others.maxOutputTokens ?? maxOutputTokens ?? USUAL_MAX_OUTPUT,
    };
    if (isNew) {
      await insertModel(tx, fresh);
    } else {
      await writeOver(tx, fresh, values);
    }
    if (isTouched) {
      await writeGrid(tx, id, prices);
    }
    const after = await getModel(tx, id, at);
    await keepPrice(tx, { before, after, at, by });
    await reportChange(tx, "catalog");
    return after;
  });
}
