import { z } from "zod";
import { systemClock } from "@/server/base/clock";
import { getModel, listModelPrices, listToCome } from "@/server/catalog";
import { priceOperations } from "@/server/operations";
import { query } from "./query";

/** More than a price a week for two years. */
const MOST_ROWS = 120;

type State = "past" | "present" | "scheduled";

/** The past, present and scheduled prices of a model, the latest first: from when, until when, and by whom. */
export const history = query({
  needs: "staff.read",
  input: z.strictObject({ modelId: priceOperations.ModelId }),
  read: async ({ db }, { modelId }) => {
    const now = systemClock();
    const entry = await getModel(db, modelId, now);
    const kept = await listModelPrices(db, modelId, MOST_ROWS);
    // It was never changed since prices are recorded: it is still the price with which the model was added.
    const prices =
      kept.length > 0
        ? kept
        : [{ beginsAt: entry.createdAt, prices: entry.prices, isFree: entry.isFree, enteredBy: null }];
    const present = prices.findIndex(({ beginsAt }) => beginsAt <= now);
    const stateOf = (place: number): State => {
      if (place === present) {
        return "present";
      }
      return place > present && present !== -1 ? "past" : "scheduled";
    };
    return prices.map(({ beginsAt, enteredBy, isFree, ...price }, place) => ({
      state: stateOf(place),
      beginsAt,
      endsAt: prices[place - 1]?.beginsAt ?? null,
      isFree,
      prices: priceOperations.pricesView(price.prices),
      enteredBy,
    }));
  },
});

/** Scheduled prices of all models, the earliest first. */
export const scheduled = query({
  needs: "staff.read",
  input: z.strictObject({}),
  read: async ({ db }) => {
    const now = systemClock();
    return (await listToCome(db))
      .filter(({ beginsAt }) => beginsAt > now)
      .map(({ modelId, beginsAt, isFree, prices, enteredBy }) => ({
        modelId,
        beginsAt,
        isFree,
        prices: priceOperations.pricesView(prices),
        enteredBy,
      }));
  },
});
