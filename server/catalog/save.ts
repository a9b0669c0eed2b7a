import { eq } from "drizzle-orm";
import { systemClock } from "@/server/base/clock";
import { nanos } from "@/server/base/money";
import { parseOrRefuse, Refusal } from "@/server/base/refusal";
import { type Db, reportChange, rowOrRefuse, tables, transaction } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { type CatalogEntry, getModel, lockWritten } from "./entries";
import { listedFactsOf } from "./model-facts";
import { recordPrice } from "./model-prices";
import { type Model, toModel } from "./models";
import { areSameSheets, sheetOf } from "./price-sheet";
import { ModelChange } from "./schema";

const { models, videoPrices } = tables;

/** The longest answer of a chat model if none is set or listed. */
const USUAL_MAX_OUTPUT = 8_192;

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

const tokenPrices = [
  "inputPrice",
  "outputPrice",
  "cacheReadPrice",
  "cacheWritePrice",
  "cacheWrite1hPrice",
] as const satisfies (keyof ModelChange)[];

const noPrices = {
  inputPrice: nanos(0n),
  outputPrice: nanos(0n),
  cacheReadPrice: null,
  cacheWritePrice: null,
  cacheWrite1hPrice: null,
  unitPrices: [],
};

/** A model is free or has a price. The latest change decides; both in one change is an error. */
function settleFree<T extends Omit<ModelChange, "id" | "videoPrices">>(values: T) {
  const isPriced =
    tokenPrices.some((name) => (values[name] ?? 0n) > 0n) ||
    (values.unitPrices ?? []).some(({ price }) => price > 0n);
  if (isPriced && values.isFree) {
    throw new Refusal("a model can be free or have a price, but not both", "freeWithPrice");
  }
  return { ...values, ...(values.isFree && noPrices), ...(isPriced && { isFree: false }) };
}

/** Records a price that has changed. */
async function keepPrice(
  db: Db,
  {
    before,
    after,
    at,
    by,
  }: { before: CatalogEntry | null; after: CatalogEntry; at: Date; by: string | null },
): Promise<void> {
  const was = before && { prices: sheetOf(before), isFree: before.isFree, since: before.createdAt };
  const prices = sheetOf(after);
  if (was === null || was.isFree !== after.isFree || !areSameSheets(was.prices, prices)) {
    await recordPrice(db, { modelId: after.id, prices, isFree: after.isFree, at, by, before: was });
  }
}

/**
 * Adds the model; of two concurrent calls one adds it. Otherwise as `saveModel`. Throws Refusal if the model exists.
 */
export const createModel = (db: Db, change: ModelChange, by: string | null = null): Promise<Model> =>
  writeModel(db, change, { isNew: true, by });

/**
 * Adds the model, or changes the members given; a price of null is inherited again, and video prices, if given, replace
 * the old grid. In force in every process within a second; running it twice changes nothing more. Models are disabled,
 * never deleted: ledger, tasks and keys refer to their identifiers. The former price is kept; `by`: the person who
 * changes it, null for the gateway itself. Throws Refusal.
 */
export const saveModel = (db: Db, change: ModelChange, by: string | null = null): Promise<Model> =>
  writeModel(db, change, { isNew: false, by });

async function writeModel(
  db: Db,
  change: ModelChange,
  { isNew, by }: { isNew: boolean; by: string | null },
): Promise<Model> {
  const { id, videoPrices: grid, ...fields } = parseOrRefuse(ModelChange, change);
  const { unitPrices, ...settled } = settleFree(fields);
  const values = {
    ...settled,
    ...(unitPrices && {
      unitPrices: Object.fromEntries(unitPrices.map(({ unit, price }) => [unit, price.toString()])),
    }),
  };
  const { maxOutputTokens, ...facts } = listedFactsOf(values.kind, id);
  const fresh = {
    ...facts,
    ...values,
    id,
    ownedBy: values.ownedBy ?? "tollgate",
    maxOutputTokens: values.maxOutputTokens ?? maxOutputTokens ?? USUAL_MAX_OUTPUT,
    inputPrice: values.inputPrice ?? nanos(0n),
    outputPrice: values.outputPrice ?? nanos(0n),
  };
  return await transaction(db, async (tx) => {
    const at = systemClock();
    const before = isNew ? null : await lockWritten(tx, id, at);
    if (isNew) {
      await insertModel(tx, fresh);
    } else {
      await writeOver(tx, fresh, values);
    }
    if (grid) {
      await ormOf(tx).delete(videoPrices).where(eq(videoPrices.modelId, id));
    }
    if (grid && grid.length > 0) {
      await ormOf(tx)
        .insert(videoPrices)
        .values(grid.map((price) => ({ ...price, modelId: id })));
    }
    const after = await getModel(tx, id, at);
    await keepPrice(tx, { before, after, at, by });
    await reportChange(tx, "catalog");
    return toModel(after);
  });
}
