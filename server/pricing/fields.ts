/**
 * Prices as forms, commands and the admin API have them: a member for each class of tokens, a list of units and a grid
 * of videos. Prices with conditions are a list by name.
 */
import { type Nanos, nanos } from "@/server/base/money";
import { isUnit } from "@/server/domain/units";
import {
  eachField,
  eachPrice,
  hasConditions,
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
import { isNoPrice, type PriceSheet, tokenPrice, toSheet } from "./sheet";

type UnitPrice = { unit: string; price: Nanos };
export type VideoPrice = VideoItem & { price: Nanos };

/** A price with conditions, by its whole name. */
type ConditionalPrice = { name: PriceName; price: Nanos };

export type PriceFields = TokenPriceFields<Nanos> & {
  unitPrices: UnitPrice[];
  videoPrices: VideoPrice[];
  conditionalPrices: ConditionalPrice[];
};

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
  const tokens = eachPrice(
    ({ name }) => sheet.get(name) ?? nanos(0n),
    ({ name }) => sheet.get(name) ?? null,
  );
  const others = ofItem(sheet);
  return {
    ...tokens,
    unitPrices: others.flatMap(([unit, price]) => (isUnit(unit) ? [{ unit, price }] : [])),
    videoPrices: others
      .flatMap(([name, price]) => {
        const video = parseVideoName(name);
        return video ? [{ ...video, price }] : [];
      })
      .sort(byVideo),
    conditionalPrices: [...sheet].flatMap(([name, price]) => (hasConditions(name) ? [{ name, price }] : [])),
  };
}

/** The sheet with the given members changed. A list that is given replaces all prices of its kind. */
export function withFields(sheet: PriceSheet, change: FieldChange): PriceSheet {
  const { unitPrices, videoPrices, conditionalPrices } = change;
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
    const isReplaced = hasConditions(name)
      ? conditionalPrices
      : (isOfVideo(name) && videoPrices) || (isUnit(name) && unitPrices);
    if (isReplaced) {
      prices.delete(name);
    }
  }
  for (const { name, price } of conditionalPrices ?? []) {
    prices.set(name, price);
  }
  for (const { unit, price } of unitPrices ?? []) {
    prices.set(unit as PriceName, price);
  }
  for (const { price, ...video } of videoPrices ?? []) {
    prices.set(videoPriceName(video), price);
  }
  return toSheet(prices);
}

/** The price of each class of tokens for any call, by its field. */
export const byField = (sheet: PriceSheet): Record<TokenField, Nanos> =>
  eachField(({ name }) => tokenPrice(sheet, name));
