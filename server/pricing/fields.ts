/**
 * Prices as forms, commands and the admin API have them: a member for each class of tokens, a list of units and a grid
 * of videos. Conditions have no members here: such prices are set by name.
 */
import { type Nanos, nanos } from "@/server/base/money";
import { isUnit } from "@/server/base/units";
import {
  isOfVideo,
  type PricedItem,
  type PriceName,
  parseVideoName,
  type TokenField,
  type TokenPriceFields,
  tokenClasses,
  type VideoItem,
  videoPriceName,
} from "./names";
import { isNoPrice, type PriceSheet, toSheet } from "./sheet";

export type UnitPrice = { unit: string; price: Nanos };
export type VideoPrice = VideoItem & { price: Nanos };

export type PriceFields = TokenPriceFields<Nanos> & { unitPrices: UnitPrice[]; videoPrices: VideoPrice[] };

/** Prices that are not given stay, as do inherited ones that are given as undefined. */
type FieldChange = { [Name in keyof PriceFields]?: PriceFields[Name] | undefined };

/** The member of each class of tokens, in the order of prices. */
export const tokenPriceFields = tokenClasses.map(
  ({ field }): keyof TokenPriceFields<Nanos> => `${field}Price`,
);

const ofItem = (sheet: PriceSheet) => [...sheet] as [PricedItem, Nanos][];

const byVideo = (left: VideoItem, right: VideoItem): number =>
  left.durationSeconds - right.durationSeconds || (left.resolution < right.resolution ? -1 : 1);

/** The prices of any call, by their members. null: takes another class's price. */
export function fieldsOf(sheet: PriceSheet): PriceFields {
  const tokens = tokenClasses.map(({ name, field, follows }) => [
    `${field}Price`,
    sheet.get(name) ?? (follows === null ? nanos(0n) : null),
  ]);
  const others = ofItem(sheet);
  return {
    ...(Object.fromEntries(tokens) as TokenPriceFields<Nanos>),
    unitPrices: others.flatMap(([unit, price]) => (isUnit(unit) ? [{ unit, price }] : [])),
    videoPrices: others
      .flatMap(([name, price]) => {
        const video = parseVideoName(name);
        return video ? [{ ...video, price }] : [];
      })
      .sort(byVideo),
  };
}

/** The sheet with the given members changed. A list that is given replaces all prices of its kind. */
export function withFields(sheet: PriceSheet, change: FieldChange): PriceSheet {
  const { unitPrices, videoPrices } = change;
  const prices = new Map(sheet);
  for (const { name, field } of tokenClasses) {
    const price = change[`${field}Price` as const];
    if (price === undefined) {
      continue;
    }
    if (price === null || isNoPrice(name, price)) {
      prices.delete(name);
    } else {
      prices.set(name, price);
    }
  }
  for (const name of sheet.keys()) {
    if ((unitPrices && isUnit(name)) || (videoPrices && isOfVideo(name))) {
      prices.delete(name);
    }
  }
  for (const { unit, price } of unitPrices ?? []) {
    prices.set(unit as PriceName, price);
  }
  for (const { price, ...video } of videoPrices ?? []) {
    prices.set(videoPriceName(video), price);
  }
  return toSheet(prices);
}

/** Prices of tokens by the fields of the ledger and of lists of models. */
export const byField = (sheet: PriceSheet): Record<TokenField, Nanos> =>
  Object.fromEntries(tokenClasses.map(({ name, field }) => [field, sheet.get(name) ?? nanos(0n)])) as Record<
    TokenField,
    Nanos
  >;
