/** What stands in the grid of prices, and what it comes to. Pure. */
import { markUp, parseFactor, stepOf } from "@/server/base/factor";
import { formatMoney, parseMoney } from "@/server/base/money";
import type { CatalogModel, PriceCells } from "../catalog";
import { type PriceField, priceProblem, pricesOf } from "../model-draft";

/** What was typed, by model and price; an empty one is to be none of its own. */
export type GridDraft = Readonly<Record<string, Partial<Record<PriceField, string>>>>;

const names: Record<PriceField, string> = {
  inputPrice: "input",
  outputPrice: "output",
  cacheReadPrice: "cache_read",
  cacheWritePrice: "cache_write",
  cacheWrite1hPrice: "cache_write_1h",
};

export const gridFields = Object.keys(names) as PriceField[];

/** Models that are sold by the token. */
export const inGrid = (models: CatalogModel[]): CatalogModel[] =>
  models.filter(({ kind }) => kind === "chat" || kind === "embedding");

/** Whether a model of this kind has this price. */
export const hasField = ({ kind }: CatalogModel, field: PriceField): boolean =>
  pricesOf(kind).includes(field);

/** What the field shows: what was typed, or the price as it is. */
export const textOf = (draft: GridDraft, model: CatalogModel, field: PriceField): string =>
  draft[model.id]?.[field] ?? model[field] ?? "";

export const withText = (draft: GridDraft, model: CatalogModel, typed: [PriceField, string]): GridDraft => {
  const [field, text] = typed;
  return { ...draft, [model.id]: { ...draft[model.id], [field]: text } };
};

/** What is wrong with the factor is for its field to say; `decimals`: to so many each price is rounded up. */
export function markedUp(
  draft: GridDraft,
  models: CatalogModel[],
  terms: { factor: string; decimals: number },
): GridDraft {
  const factor = parseFactor(terms.factor);
  if (factor === null) {
    return draft;
  }
  let marked = draft;
  for (const model of models) {
    for (const field of gridFields.filter((each) => hasField(model, each))) {
      const price = parseMoney(textOf(marked, model, field));
      if (price !== null && price > 0n) {
        const text = formatMoney(markUp(price, [factor], stepOf(terms.decimals)));
        marked = withText(marked, model, [field, text]);
      }
    }
  }
  return marked;
}

const priceOf = (text: string) => {
  const price = text.trim() === "" ? null : parseMoney(text);
  return price === null ? null : formatMoney(price);
};

/** None for input or output is 0. */
const same = (one: string | null, other: string | null) =>
  (one ?? "0") === (other ?? "0") && (one === null) === (other === null);

/** What differs from the prices as they were shown, and what they were. */
export function cellsOf(draft: GridDraft, models: CatalogModel[]): PriceCells {
  return models.flatMap((model) =>
    gridFields.flatMap((field) => {
      const typed = draft[model.id]?.[field];
      const seen = model[field];
      const price = typed === undefined ? seen : priceOf(typed);
      return same(price, seen) ? [] : [{ modelId: model.id, name: names[field], price, seen }];
    }),
  );
}

/** Whether any price that was typed cannot be one. */
export const hasWrongPrice = (draft: GridDraft): boolean =>
  Object.values(draft).some((typed) => Object.values(typed).some((text) => priceProblem(text) !== null));

/** Midnight of the first of the next month where the reader is, as a field for moments has it. */
export function firstOfNextMonth(now: Date): string {
  const [year, month] = [now.getFullYear(), now.getMonth() + 1];
  const [y, m] = month === 12 ? [year + 1, 1] : [year, month + 1];
  return `${y}-${String(m).padStart(2, "0")}-01T00:00`;
}
