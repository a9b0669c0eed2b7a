import type { ModelKind } from "@/server/base/enums";
import { formatMoney, type Nanos } from "@/server/base/money";
import { Refusal } from "@/server/base/refusal";
import { inOrder, type PriceSheet } from "./price-sheet";

/**
 * One price to set; null removes it. `seen`: the price that the person was shown, null for none; undefined: not
 * checked.
 */
export type PriceCell = {
  modelId: string;
  name: string;
  price: Nanos | null;
  seen?: Nanos | null | undefined;
};

/** For input and output, 0 means no price. */
const withoutZero = (name: string, price: Nanos | null): Nanos | null =>
  price === 0n && (name === "input" || name === "output") ? null : price;

const printed = (price: Nanos | null) => (price === null ? "-" : formatMoney(price));

/**
 * Returns a model's prices with some of them changed. Throws Refusal for a price that differs from the one seen, and
 * for a name that a model of this kind is not sold by.
 */
export function withCells(
  { id, kind, prices }: { id: string; kind: ModelKind; prices: PriceSheet },
  cells: readonly PriceCell[],
): PriceSheet {
  const changed = new Map(Object.entries(prices));
  for (const { name, price, seen: shownPrice } of cells) {
    if (name.startsWith("video:") !== (kind === "video")) {
      throw new Refusal(
        `"${id}" cannot be priced by ${name}: it is a model of kind ${kind}`,
        "priceNameOfOtherKind",
        {
          model: id,
          name,
        },
      );
    }
    const is = prices[name] ?? null;
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
  return inOrder([...changed]);
}
