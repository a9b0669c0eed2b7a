import { eq } from "drizzle-orm";
import { type Queryable, reportChange, tables } from "@/server/db";
import { parseOrRefuse } from "@/server/refusal";
import { getModel } from "./entries";
import { type Model, toModel } from "./models";
import { ModelChange } from "./schema";

const { models, videoPrices } = tables;

/**
 * Adds the model or changes what is named of it; a price that is null is inherited again, and video prices, when given,
 * replace the old grid. In force in every process within a second; twice changes nothing more. Models are disabled, never
 * deleted: ledger, tasks and keys know them by their identifier. Throws Refusal.
 */
export async function saveModel(db: Queryable, change: ModelChange): Promise<Model> {
  const { id, videoPrices: grid, ...values } = parseOrRefuse(ModelChange, change);
  const fresh = {
    ...values,
    id,
    ownedBy: values.ownedBy ?? "tollgate",
    maxOutputTokens: values.maxOutputTokens ?? 8_192,
    inputPrice: values.inputPrice ?? 0n,
    outputPrice: values.outputPrice ?? 0n,
  };
  return await db.transaction(async (transaction) => {
    await transaction.insert(models).values(fresh).onConflictDoUpdate({ target: models.id, set: values });
    if (grid) {
      await transaction.delete(videoPrices).where(eq(videoPrices.modelId, id));
    }
    if (grid && grid.length > 0) {
      await transaction.insert(videoPrices).values(grid.map((price) => ({ ...price, modelId: id })));
    }
    await reportChange(transaction, "catalog");
    return toModel(await getModel(transaction, id));
  });
}
