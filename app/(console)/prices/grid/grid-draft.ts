/** The grid of prices: its values, its changes, and their effect on margins. Pure. */

import { formatMoney, type Nanos, nanos, parseMoney } from "@/server/base/money";
import { markUp, parseFactor, stepOf } from "@/server/domain/factor";
import { emptySheet, isNoPrice, type PriceName, priceUnder } from "@/server/pricing";
import type { GridRow, PriceCells } from "../catalog";
import { priceProblem } from "../draft-problems";

/** The typed texts, by row; an empty text means that the row inherits its price. */
export type GridDraft = ReadonlyMap<string, string>;

export const rowKey = ({ modelId, name }: Pick<GridRow, "modelId" | "name">): string =>
  JSON.stringify([modelId, name]);

/** A price as fields show it: with at least two decimals, so that points are below each other. */
export function inFull(price: string): string {
  const [whole, decimals = ""] = price.split(".");
  return `${whole}.${decimals.padEnd(2, "0")}`;
}

/** The field's text: the typed one, or the current price. */
export const textOf = (draft: GridDraft, row: GridRow): string =>
  draft.get(rowKey(row)) ?? (row.price === null ? "" : inFull(row.price));

export const withText = (draft: GridDraft, row: GridRow, text: string): GridDraft =>
  new Map([...draft, [rowKey(row), text]]);

/** The basis of a mark-up: the vendor's list, the cost at a channel, or the current prices. */
export const bases = ["list", "cost", "price"] as const;
export type Basis = (typeof bases)[number];

/** `rates`: the price of one unit of a list's currency in the installation's currency, by list currency. */
export type MarkUpTerms = {
  basis: Basis;
  factor: string;
  rates: Readonly<Record<string, string>>;
  decimals: number;
  own: string;
};

/** The currencies of the lists used that are not the installation's own. */
export const foreignOf = (rows: readonly GridRow[], { basis, own }: Pick<MarkUpTerms, "basis" | "own">) =>
  basis === "list"
    ? [...new Set(rows.flatMap(({ list }) => (list && list.currency !== own ? [list.currency] : [])))]
    : [];

const basisOf = ({ list, cost, price }: GridRow, basis: Basis): string | null =>
  ({ list: list?.price ?? null, cost: cost?.price ?? null, price })[basis];

/**
 * Sets each price to its basis times the factor, rounded up. Rows without a basis stay, and all rows do if the factor
 * is wrong.
 */
export function markedUp(draft: GridDraft, rows: readonly GridRow[], terms: MarkUpTerms): GridDraft {
  const factor = parseFactor(terms.factor);
  const texts = rows.flatMap((row): [string, string][] => {
    const basis = parseMoney(basisOf(row, terms.basis) ?? "");
    const isForeign = terms.basis === "list" && row.list !== null && row.list.currency !== terms.own;
    const rate = isForeign ? parseFactor(terms.rates[row.list?.currency ?? ""] ?? "") : 1_000_000n;
    if (factor === null || rate === null || basis === null || basis === 0n) {
      return [];
    }
    return [[rowKey(row), inFull(formatMoney(markUp(basis, [factor, rate], stepOf(terms.decimals))))]];
  });
  return new Map([...draft, ...texts]);
}

const priceOf = (name: string, text: string): string | null => {
  const price = text.trim() === "" ? null : parseMoney(text);
  return price === null || isNoPrice(name, price) ? null : formatMoney(price);
};

/** A row with its new price; null: the row inherits its price. */
export type GridChange = { row: GridRow; price: string | null };

export const changesOf = (draft: GridDraft, rows: readonly GridRow[]): GridChange[] =>
  rows.flatMap((row) => {
    const price = priceOf(row.name, textOf(draft, row));
    return price === row.price ? [] : [{ row, price }];
  });

/** The changed prices, each with the price that the operator saw. */
export const cellsOf = (changes: readonly GridChange[]): PriceCells =>
  changes.map(({ row, price }) => ({ modelId: row.modelId, name: row.name, price, seen: row.price }));

/** Whether any typed price is invalid. */
export const hasWrongPrice = (draft: GridDraft): boolean =>
  [...draft.values()].some((text) => priceProblem(text) !== null);

/** The price that calls would be charged, by row: the row's own price or the one that it follows. */
export function chargedBy(draft: GridDraft, rows: readonly GridRow[]): (row: GridRow) => Nanos | null {
  const sheets = new Map<string, Map<PriceName, Nanos>>();
  for (const row of rows) {
    const sheet = sheets.get(row.modelId) ?? new Map<PriceName, Nanos>();
    const price = parseMoney(textOf(draft, row));
    sheets.set(row.modelId, price === null ? sheet : sheet.set(row.name, price));
  }
  return (row) => {
    if (row.isFree) {
      return nanos(0n);
    }
    const text = textOf(draft, row);
    return text.trim() === ""
      ? priceUnder(sheets.get(row.modelId) ?? emptySheet, row.name)
      : parseMoney(text);
  };
}

/** The margin of a price at the most expensive channel, and its share of the price. */
export function marginOf(row: GridRow, charged: Nanos | null) {
  const cost = row.cost && parseMoney(row.cost.price);
  if (charged === null || cost === null) {
    return null;
  }
  return {
    amount: formatMoney(nanos(charged - cost)),
    share: charged === 0n ? null : Number(((charged - cost) * 10_000n) / charged) / 10_000,
    isBelowCost: charged < cost,
  };
}

/** The rows to show. */
export const gridShows = ["all", "enabled", "belowCost", "changed", "chosen"] as const;
export type GridShow = (typeof gridShows)[number];
