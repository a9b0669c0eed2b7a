/** Prices of models: one or many in one change, now or from a moment on. */
import { z } from "zod";
import { systemClock } from "@/server/base/clock";
import {
  getModel,
  keepFirst,
  keepToCome,
  lockModel,
  type PriceCell,
  saveModel,
  withCells,
  withdrawPrice,
} from "@/server/catalog";
import { Refusal } from "@/server/domain/refusal";
import {
  areSameSheets,
  decimalsOf,
  isPriceName,
  type PriceName as Name,
  type PriceSheet,
  tokenClasses,
} from "@/server/pricing";
import { change } from "./models";
import { operation, type TxContext } from "./operation";
import { Moment, Money } from "./schema";

/** In one change: a catalog of a thousand models has as many token prices. */
const MOST_CELLS = 5_000;

export const ModelId = z.string().min(1).max(256);

/** Every price is below it: a million currency units. */
export const PRICE_END = 10n ** 15n;

export const Price = Money.refine(
  (price) => price >= 0n && price < PRICE_END,
  "a price is 0 to below a million",
);

export const PriceName = z
  .string()
  .max(64)
  .refine(
    (text): text is Name => isPriceName(text),
    "nothing has a price under this name: see docs/prices.md",
  );

/** The names of prices, for references. */
export const priceNames = `${tokenClasses.map(({ name }) => `\`${name}\``).join(", ")} (per million tokens), a unit such as \`request\` or \`image:1024x1024\`, or \`video:5:720p\`; with conditions: \`input@200k\`, \`output@priority\`, \`input@16:30-00:30\``;

const Cell = z.strictObject({
  modelId: ModelId,
  name: PriceName.describe(priceNames),
  price: Price.nullable().describe("null: not set; a token class then costs the same as input"),
  seen: Price.nullable()
    .optional()
    .describe("The price that you last read, null for none; the change is rejected if it is different now"),
});

const isOnce = (cells: { modelId: string; name: string }[]) =>
  new Set(cells.map(({ modelId, name }) => JSON.stringify([modelId, name]))).size === cells.length;

export const Cells = z.array(Cell).min(1).max(MOST_CELLS).refine(isOnce, "a price is named once");

export const BeginsAt = Moment.optional().describe(
  "When the prices take effect for new requests, such as `2027-01-01T00:00:00+08:00`; default: now",
);

/** Prices as they are sent: decimals in currency units. */
export const pricesView = (prices: PriceSheet) =>
  Object.entries(decimalsOf(prices)).map(([name, price]) => ({ name, price }));

type ModelPriceChange = { modelId: string; cells: PriceCell[]; beginsAt: Date | undefined };

/** Sets one model's prices. null: no change. Throws Refusal. */
async function setOne({ db, actor }: TxContext, { modelId, cells, beginsAt }: ModelPriceChange) {
  const now = systemClock();
  const locked = await lockModel(db, modelId);
  // The prices in force at that moment: an earlier scheduled price may change them before.
  const before = beginsAt ? await getModel(db, modelId, beginsAt) : locked;
  const { kind } = before;
  const was = before.prices;
  const prices = withCells({ id: modelId, kind, prices: was }, cells);
  if (areSameSheets(was, prices)) {
    return null;
  }
  if (!beginsAt) {
    await saveModel(db, { id: modelId, kind, prices }, actor.name);
    return { prices, change: change(before, await getModel(db, modelId)) };
  }
  const { createdAt: since } = locked;
  await keepFirst(db, { modelId, since, prices: locked.prices, isFree: locked.isFree });
  const isFree = before.isFree && [...prices.values()].every((price) => price === 0n);
  await keepToCome(db, { modelId, beginsAt, prices, isFree, enteredBy: actor.name, enteredAt: now });
  return {
    prices,
    change: {
      action: "price.schedule" as const,
      accountId: null,
      target: { id: modelId, name: modelId },
      before: { prices: decimalsOf(was) },
      after: { prices: decimalsOf(prices), beginsAt },
    },
  };
}

type PriceChange = { cells: readonly PriceCell[]; beginsAt?: Date | undefined };

/**
 * Sets the named prices of one model or many in one transaction: at once, or from a moment on, with no change until
 * then. A model without a difference is not touched. `priceChanges`: earliest first.
 */
export async function setPrices(call: TxContext, priceChanges: readonly PriceChange[]) {
  const changes = [];
  const models = [];
  // Every caller takes the locks in this order.
  for (const modelId of [
    ...new Set(priceChanges.flatMap(({ cells }) => cells.map((cell) => cell.modelId))),
  ].sort()) {
    for (const { cells, beginsAt } of priceChanges) {
      const own = cells.filter((cell) => cell.modelId === modelId);
      const done = own.length > 0 ? await setOne(call, { modelId, cells: own, beginsAt }) : null;
      if (done) {
        changes.push(done.change);
        models.push({ modelId, beginsAt: beginsAt ?? null, prices: pricesView(done.prices) });
      }
    }
  }
  const [first, ...also] = changes;
  if (!first) {
    throw new Refusal("these prices are already in effect", "priceUnchanged");
  }
  return { ...first, also, result: { models } };
}

export const set = operation({
  needs: "prices.write",
  input: z.strictObject({ cells: Cells, beginsAt: BeginsAt }),
  run: async (call, input) => {
    const { result, ...done } = await setPrices(call, [input]);
    const models = result.models.map(({ modelId, prices }) => ({ modelId, prices }));
    return { ...done, result: { beginsAt: input.beginsAt ?? null, models } };
  },
});

/** Withdraws a price that has not begun. The price before it stays in force. */
export const withdraw = operation({
  needs: "prices.write",
  input: z.strictObject({ modelId: ModelId, beginsAt: Moment }),
  run: async ({ db }, { modelId, beginsAt }) => {
    await lockModel(db, modelId);
    const { prices } = await withdrawPrice(db, { modelId, beginsAt, now: systemClock() });
    return {
      action: "price.withdraw" as const,
      accountId: null,
      target: { id: modelId, name: modelId },
      before: { prices: decimalsOf(prices), beginsAt },
      result: null,
    };
  },
});
