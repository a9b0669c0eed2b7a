import { type Decimal, formatMoney, type Nanos, nanos } from "@/server/base/money";
import {
  byName,
  hasConditions,
  isOfTokens,
  isPriceName,
  type PricedItem,
  type PriceName,
  parsePriceName,
  tokenClasses,
} from "./names";

/**
 * Prices by name in nano-units: of a million tokens of a class, of a unit (for `countPerPrice` of it), or of a video. A
 * class of tokens that is not named takes another class's price; anything else that is not named costs nothing.
 */
export type PriceSheet = ReadonlyMap<PriceName, Nanos>;

export const emptySheet: PriceSheet = new Map();

const FREE = nanos(0n);

/** Prices in the order of their names. */
export const toSheet = (prices: Iterable<readonly [PriceName, Nanos]>): PriceSheet =>
  new Map([...prices].sort(([left], [right]) => byName(left, right)));

/** A price of 0 for input or output means that there is none. */
export const isNoPrice = (name: string, price: Nanos | null): boolean =>
  price === null || (price === 0n && (name === "input" || name === "output"));

/** Reads a stored sheet. A name that only a later release knows is left out. */
export const parseSheet = (stored: Readonly<Record<string, string>>): PriceSheet =>
  toSheet(
    Object.entries(stored).flatMap(([name, price]): [PriceName, Nanos][] =>
      isPriceName(name) ? [[name, nanos(price)]] : [],
    ),
  );

export const storedSheet = (sheet: PriceSheet): Record<string, string> =>
  Object.fromEntries([...sheet].map(([name, price]) => [name, price.toString()]));

/** The prices in currency units, by name. */
export const decimalsOf = (sheet: PriceSheet): Record<string, Decimal> =>
  Object.fromEntries([...sheet].map(([name, price]) => [name, formatMoney(price)]));

export const areSameSheets = (left: PriceSheet, right: PriceSheet): boolean =>
  left.size === right.size && [...left].every(([name, price]) => right.get(name) === price);

/** The sheet with each price changed in the same way. */
export const scale = (sheet: PriceSheet, change: (price: Nanos) => Nanos): PriceSheet =>
  new Map([...sheet].map(([name, price]) => [name, change(price)]));

export const withoutConditions = (sheet: PriceSheet): PriceSheet =>
  new Map([...sheet].filter(([name]) => !hasConditions(name)));

/** The most specific price for any call: of the size and quality, of the size, or of the item. null: none. */
export function nearest(sheet: PriceSheet, item: string): { name: PricedItem; price: Nanos } | null {
  for (let name = item; name !== ""; name = name.slice(0, Math.max(0, name.lastIndexOf(":")))) {
    const price = sheet.get(name as PricedItem);
    if (price !== undefined) {
      return { name: name as PricedItem, price };
    }
  }
  return null;
}

export const priceOf = (sheet: PriceSheet, item: string): Nanos | null => nearest(sheet, item)?.price ?? null;

/** The price of a class of tokens for any call. */
export function tokenPrice(sheet: PriceSheet, name: (typeof tokenClasses)[number]["name"]): Nanos {
  const follows = tokenClasses.find((each) => each.name === name)?.follows ?? null;
  return sheet.get(name) ?? (follows === null ? FREE : tokenPrice(sheet, follows));
}

/** The sheet without its prices for tokens, with conditions or without. */
export const withoutTokens = (sheet: PriceSheet): PriceSheet =>
  new Map([...sheet].filter(([name]) => !isOfTokens(name)));

/** Only the prices for tokens. */
export const tokensOnly = (sheet: PriceSheet): PriceSheet =>
  new Map([...sheet].filter(([name]) => isOfTokens(name)));

/** Gives every class of tokens a price, so that readers need no rule: a class without one takes another's. */
export const resolve = (sheet: PriceSheet): PriceSheet =>
  toSheet(new Map([...sheet, ...tokenClasses.map(({ name }) => [name, tokenPrice(sheet, name)] as const)]));

/** Each price that has conditions, split. */
export const conditionalPrices = (sheet: PriceSheet) =>
  [...sheet].flatMap(([name, price]) => {
    const named = hasConditions(name) ? parsePriceName(name) : null;
    return named ? [{ ...named, price }] : [];
  });
