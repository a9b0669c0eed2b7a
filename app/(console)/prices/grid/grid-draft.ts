/** What stands in the grid of prices, and what it comes to. Pure. */
import { markUp, parseFactor, stepOf } from "@/server/base/factor";
import { formatMoney, type Nanos, nanos, parseMoney } from "@/server/base/money";
import type { GridRow, PriceCells } from "../catalog";
import { priceProblem } from "../draft-problems";

/** What was typed, by row; an empty one is to be none of its own. */
export type GridDraft = ReadonlyMap<string, string>;

export const rowKey = ({ modelId, name }: Pick<GridRow, "modelId" | "name">): string =>
  JSON.stringify([modelId, name]);

/** What the field shows: what was typed, or the price as it is. */
export const textOf = (draft: GridDraft, row: GridRow): string => draft.get(rowKey(row)) ?? row.price ?? "";

export const withText = (draft: GridDraft, row: GridRow, text: string): GridDraft =>
  new Map([...draft, [rowKey(row), text]]);

/** What prices are set by: the vendor's list, what a channel is paid, or what they are now. */
export const bases = ["list", "cost", "price"] as const;
export type Basis = (typeof bases)[number];

/** `rates`: what one of a list's currency costs in one's own, by currency. */
export type MarkUpTerms = {
  basis: Basis;
  factor: string;
  rates: Readonly<Record<string, string>>;
  decimals: number;
  own: string;
};

/** Currencies of lists that prices are set by and that are not one's own. */
export const foreignOf = (rows: readonly GridRow[], { basis, own }: Pick<MarkUpTerms, "basis" | "own">) =>
  basis === "list"
    ? [...new Set(rows.flatMap(({ list }) => (list && list.currency !== own ? [list.currency] : [])))]
    : [];

const basisOf = ({ list, cost, price }: GridRow, basis: Basis): string | null =>
  ({ list: list?.price ?? null, cost: cost?.price ?? null, price })[basis];

/** Each price times the factor, rounded up; a row that has nothing to be set by stays, as all do by a wrong factor. */
export function markedUp(draft: GridDraft, rows: readonly GridRow[], terms: MarkUpTerms): GridDraft {
  const factor = parseFactor(terms.factor);
  const texts = rows.flatMap((row): [string, string][] => {
    const basis = parseMoney(basisOf(row, terms.basis) ?? "");
    const isForeign = terms.basis === "list" && row.list !== null && row.list.currency !== terms.own;
    const rate = isForeign ? parseFactor(terms.rates[row.list?.currency ?? ""] ?? "") : 1_000_000n;
    if (factor === null || rate === null || basis === null || basis === 0n) {
      return [];
    }
    return [[rowKey(row), formatMoney(markUp(basis, [factor, rate], stepOf(terms.decimals)))]];
  });
  return new Map([...draft, ...texts]);
}

const priceOf = (text: string): string | null => {
  const price = text.trim() === "" ? null : parseMoney(text);
  return price === null ? null : formatMoney(price);
};

/** None for input or output is 0. */
const said = (name: string, price: string | null) =>
  price === "0" && (name === "input" || name === "output") ? null : price;

/** A row whose price is to be another; null: none of its own. */
export type GridChange = { row: GridRow; price: string | null };

export const changesOf = (draft: GridDraft, rows: readonly GridRow[]): GridChange[] =>
  rows.flatMap((row) => {
    const price = said(row.name, priceOf(textOf(draft, row)));
    return price === row.price ? [] : [{ row, price }];
  });

/** What differs from the prices as they were shown, and what they were. */
export const cellsOf = (changes: readonly GridChange[]): PriceCells =>
  changes.map(({ row, price }) => ({ modelId: row.modelId, name: row.name, price, seen: row.price }));

/** Whether any price that was typed cannot be one. */
export const hasWrongPrice = (draft: GridDraft): boolean =>
  [...draft.values()].some((text) => priceProblem(text) !== null);

/** What a class of tokens costs that has no price of its own. */
const parents: Record<string, string> = {
  cache_read: "input",
  cache_write: "input",
  cache_write_1h: "cache_write",
};

/** What calls would be charged by, as the grid stands: by row, its own price or the one that it follows. */
export function chargedBy(draft: GridDraft, rows: readonly GridRow[]): (row: GridRow) => Nanos | null {
  const texts = new Map(rows.map((row) => [rowKey(row), textOf(draft, row)]));
  const find = (modelId: string, name: string): Nanos | null => {
    const text = texts.get(rowKey({ modelId, name })) ?? "";
    const parent = parents[name];
    return text.trim() === "" && parent !== undefined ? find(modelId, parent) : parseMoney(text);
  };
  return (row) => (row.isFree ? nanos(0n) : find(row.modelId, row.name));
}

/** What is left of a price when the channel that is paid most is paid, and what part of the price that is. */
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

/** What of the rows the reader wants to see. */
export const gridShows = ["all", "enabled", "belowCost", "changed", "chosen"] as const;
export type GridShow = (typeof gridShows)[number];
