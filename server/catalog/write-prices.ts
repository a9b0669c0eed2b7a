import { eq } from "drizzle-orm";
import { systemClock } from "@/server/base/clock";
import { type Db, reportChange, tables, transaction } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { listToCome, markWritten } from "./model-prices";
import { enteredOf } from "./price-sheet";

const { models, videoPrices } = tables;

/** Of a model whose row is locked: writes the price there that has begun by then, if it is not there. */
export async function writeBegun(db: Db, id: string, at: Date): Promise<void> {
  const begun = (await listToCome(db, id)).filter(({ beginsAt }) => beginsAt <= at).at(-1);
  if (!begun) {
    return;
  }
  const orm = ormOf(db);
  const { unitPrices, videoPrices: grid, ...prices } = enteredOf(begun.prices);
  await orm
    .update(models)
    .set({
      ...prices,
      isFree: begun.isFree,
      unitPrices: Object.fromEntries(unitPrices.map(({ unit, price }) => [unit, price.toString()])),
    })
    .where(eq(models.id, id));
  await orm.delete(videoPrices).where(eq(videoPrices.modelId, id));
  if (grid.length > 0) {
    await orm.insert(videoPrices).values(grid.map((price) => ({ ...price, modelId: id })));
  }
  await markWritten(db, id, at);
}

/**
 * Writes every price that has begun to its model's row. Nothing of this release waits for that, for it reads what has
 * begun by the clock; the release before this one, beside it in an upgrade, knows no other place. Twice is once.
 */
export async function writeAllBegun(db: Db): Promise<void> {
  const at = systemClock();
  const begun = (await listToCome(db)).filter(({ beginsAt }) => beginsAt <= at);
  for (const modelId of [...new Set(begun.map((price) => price.modelId))].sort()) {
    await transaction(db, async (tx) => {
      await ormOf(tx)
        .select({ id: models.id })
        .from(models)
        .where(eq(models.id, modelId))
        .for("no key update");
      await writeBegun(tx, modelId, at);
      await reportChange(tx, "catalog");
    });
  }
}
