import { formatMoney, type Nanos } from "@/server/base/money";
import type { ModelKind } from "@/server/domain/enums";
import { Refusal } from "@/server/domain/refusal";
import {
  hasConditions,
  isNoPrice,
  isOfVideo,
  type PriceName,
  type PriceSheet,
  toSheet,
} from "@/server/pricing";
import { MOST_CONDITIONAL } from "./schema";

/**
 * One price to set; null removes it. `seen`: the price that the person was shown, null for none; undefined: not
 * checked.
 */
export type PriceCell = {
  modelId: string;
  name: PriceName;
  price: Nanos | null;
  seen?: Nanos | null | undefined;
};

const withoutZero = (name: PriceName, price: Nanos | null): Nanos | null =>
  isNoPrice(name, price) ? null : price;

const printed = (price: Nanos | null) => (price === null ? "-" : formatMoney(price));

/**
 * Returns a model's prices with some of them changed. Throws Refusal for a price that differs from the one seen, for a
 * name that a model of this kind is not sold by, and for too many prices with conditions.
 */
export function withCells(
  { id, kind, prices }: { id: string; kind: ModelKind; prices: PriceSheet },
  cells: readonly PriceCell[],
): PriceSheet {
  const changed = new Map(prices);
  for (const { name, price, seen: shownPrice } of cells) {
    if (isOfVideo(name) !== (kind === "video")) {
      throw new Refusal(
        `"${id}" cannot be priced by ${name}: it is a model of kind ${kind}`,
        "priceNameOfOtherKind",
        {
          model: id,
          name,
        },
      );
    }
    const is = prices.get(name) ?? null;
    if (shownPrice !== undefined && withoutZero(name, shownPrice) !== is) {
      throw new Refusal(
        `${name} of "${id}" is now ${printed(is)}, and was ${printed(shownPrice)} when it was read`,
        "priceChanged",
        { model: id, name, seen: printed(shownPrice), is: printed(is) },
      );
    }
    const newPrice = withoutZero(name, price);
    if (newPrice === null) {
      changed.delete(name);
    } else {
      changed.set(name, newPrice);
    }
  }
  const conditional = [...changed.keys()].filter(hasConditions).length;
  if (conditional > MOST_CONDITIONAL) {
    throw new Refusal(
      `"${id}" would have ${conditional} prices with conditions; at most ${MOST_CONDITIONAL} are possible`,
      "conditionalPricesTooMany",
      { model: id, max: MOST_CONDITIONAL },
    );
  }
  return toSheet(changed);
}
