import { z } from "zod";
import { systemClock } from "@/server/base/clock";
import { inDecimals, type Nanos, nanos } from "@/server/base/money";
import { costNanos, periodBefore, type Sold, soldOfModels } from "@/server/billing";
import { enteredOf, getModel, type PriceCell, sheetOf, toModel, withCells } from "@/server/catalog";
import type { Db } from "@/server/db";
import { priceOperations } from "@/server/operations";
import { query } from "./query";

/** What a model would cost with some of its prices changed. Throws Refusal. */
async function modelWith(
  db: Db,
  { modelId, cells, at }: { modelId: string; cells: readonly PriceCell[]; at: Date },
) {
  const entry = await getModel(db, modelId, at);
  const prices = withCells({ id: modelId, kind: entry.kind, prices: sheetOf(entry) }, cells);
  return toModel({ ...entry, ...enteredOf(prices) });
}

/** A month's charges at other prices: what was charged whole, as videos are, stays what it was. */
const atPrices = (sold: Sold, { prices, unitPrices }: ReturnType<typeof toModel>): Nanos =>
  nanos(costNanos({ ...sold, reasoningTokens: 0 }, prices, unitPrices) + sold.whole.amount);

const sum = (amounts: readonly Nanos[]): Nanos => nanos(amounts.reduce((total, each) => total + each, 0n));

/**
 * What the calls of the last month would have come to at other prices, by model, beside what they were charged: by what
 * the ledger's charges have of each class of tokens and each unit. Videos count as they were charged. It is as exact as
 * the sum of what was counted; each call by itself is rounded up, so that it may differ by a nano-unit a call and class.
 */
export const lastMonth = query({
  needs: "costs.read",
  input: z.strictObject({ cells: priceOperations.Cells, beginsAt: priceOperations.BeginsAt }),
  read: async ({ db, billing }, { cells, beginsAt }) => {
    const at = beginsAt ?? systemClock();
    const period = periodBefore(billing.period());
    const modelIds = [...new Set(cells.map(({ modelId }) => modelId))].sort();
    const sold = await soldOfModels(db, { period, modelIds });
    const models = [];
    for (const each of sold) {
      const own = cells.filter(({ modelId }) => modelId === each.modelId);
      const repriced = atPrices(each, await modelWith(db, { modelId: each.modelId, cells: own, at }));
      models.push({
        ...{ modelId: each.modelId, calls: each.calls, charged: each.amount, repriced },
        difference: nanos(repriced - each.amount),
        videos: each.whole.calls,
      });
    }
    const charged = sum(models.map((each) => each.charged));
    const repriced = sum(models.map((each) => each.repriced));
    return inDecimals({
      period,
      models,
      total: { charged, repriced, difference: nanos(repriced - charged) },
    });
  },
});
