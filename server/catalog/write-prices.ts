import { eq } from "drizzle-orm";
import { systemClock } from "@/server/base/clock";
import { type Db, reportChange, tables, transaction } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { listToCome, markWritten } from "./model-prices";
import { columnsOf, writeGrid } from "./previous-columns";

const { models } = tables;

/** Writes a price that has begun by then to the model's row, unless it is there already. The row must be locked. */
export async function writeBegun(db: Db, id: string, at: Date): Promise<void> {
  const begun = (await listToCome(db, id)).filter(({ beginsAt }) => beginsAt <= at).at(-1);
  if (!begun) {
    return;
  }
  const values = { ...columnsOf(begun.prices), isFree: begun.isFree };
  await ormOf(db).update(models).set(values).where(eq(models.id, id));
  await writeGrid(db, id, begun.prices);
  await markWritten(db, id, at);
}

/**
 * Writes every price that has begun to its model's row. This release does not depend on that, because it reads begun
 * prices by the clock; the previous release, which runs next to it during an upgrade, reads the row only. Running it
 * twice changes nothing.
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
