import { z } from "zod";
import { listGroupMembers } from "@/server/access";
import { systemClock } from "@/server/base/clock";
import { inDecimals, type Nanos, nanos } from "@/server/base/money";
import { type Sold, soldOfModels } from "@/server/billing";
import {
  atGroupPrices,
  getModel,
  listPriceGroups,
  type Model,
  type PriceCell,
  withCells,
} from "@/server/catalog";
import type { Db } from "@/server/db";
import { periodBefore } from "@/server/domain/period";
import { priceOperations } from "@/server/operations";
import { cost, withoutConditions } from "@/server/pricing";
import { query } from "./query";

/** A model with some of its prices changed. Throws Refusal. */
async function modelWith(
  db: Db,
  { modelId, cells, at }: { modelId: string; cells: readonly PriceCell[]; at: Date },
): Promise<Model> {
  const entry = await getModel(db, modelId, at);
  return { ...entry, prices: withCells(entry, cells) };
}

/** Sales of a month at the usual prices, and to each price group by its present members. */
async function soldByGroup(db: Db, filter: { period: string; modelIds: string[] }) {
  const members = await listGroupMembers(db);
  const groups = (await listPriceGroups(db)).map((group) => ({
    group,
    scope: { accountIds: members.get(group.id) ?? [], isAllBut: false },
  }));
  const usual = { group: null, scope: { accountIds: [...members.values()].flat(), isAllBut: true } };
  const sold = [];
  for (const { group, scope } of [usual, ...groups]) {
    if (scope.isAllBut || scope.accountIds.length > 0) {
      sold.push({ group, sold: await soldOfModels(db, { ...filter, scope }) });
    }
  }
  return sold;
}

/**
 * A month's charges at other prices; items charged as a whole, like videos, keep their charge. The
 * ledger's sums do not say which calls met a condition, so each call counts at the price without conditions.
 */
const atPrices = (sold: Sold, { prices }: Model): Nanos =>
  nanos(cost(sold, withoutConditions(prices)) + sold.whole.amount);

const sum = (amounts: readonly Nanos[]): Nanos => nanos(amounts.reduce((total, each) => total + each, 0n));

/**
 * The charges of last month's calls at other prices, by model, next to their actual charges: computed from the counts
 * of each class of tokens and each unit in the ledger. Videos count as they were charged. The result is as exact as the
 * sum of the counts, at the prices of the accounts' present groups; each single call is rounded up, so that it may
 * differ by a nano-unit for each call and class.
 */
export const lastMonth = query({
  needs: "costs.read",
  input: z.strictObject({ cells: priceOperations.Cells, beginsAt: priceOperations.BeginsAt }),
  read: async ({ db, billing }, { cells, beginsAt }) => {
    const at = beginsAt ?? systemClock();
    const period = periodBefore(billing.period());
    const modelIds = [...new Set(cells.map(({ modelId }) => modelId))].sort();
    const byGroup = await soldByGroup(db, { period, modelIds });
    const models = [];
    for (const modelId of modelIds) {
      const parts = byGroup.flatMap(({ group, sold }) => {
        const part = sold.find((each) => each.modelId === modelId);
        return part ? [{ group, part }] : [];
      });
      if (parts.length === 0) {
        continue;
      }
      const own = cells.filter((cell) => cell.modelId === modelId);
      const model = await modelWith(db, { modelId, cells: own, at });
      const charged = sum(parts.map(({ part }) => part.amount));
      const repriced = sum(
        parts.map(({ group, part }) => atPrices(part, group ? atGroupPrices(model, group) : model)),
      );
      const count = (figureOf: (part: Sold) => number) =>
        parts.reduce((all, { part }) => all + figureOf(part), 0);
      models.push({
        ...{ modelId, calls: count(({ calls }) => calls), charged, repriced },
        difference: nanos(repriced - charged),
        videos: count(({ whole }) => whole.calls),
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
