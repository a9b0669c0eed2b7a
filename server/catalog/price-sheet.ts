import { type Nanos, nanos } from "@/server/base/money";
import { isUnit, type UnitPrice } from "@/server/base/units";

/**
 * Prices by name in nano-units: of a class of tokens (per million), a unit (per the quantity it is sold by), or a
 * video. A class of tokens that is not named inherits its price; anything else that is not named costs nothing.
 */
export type PriceSheet = Record<string, Nanos>;

/** Names of the classes of tokens in a sheet, in order. */
export const classes = {
  input: "input",
  output: "output",
  cacheRead: "cache_read",
  cacheWrite: "cache_write",
  cacheWrite1h: "cache_write_1h",
} as const;

/** The same names, by the columns that the prices are entered in. */
const columns = {
  inputPrice: "input",
  outputPrice: "output",
  cacheReadPrice: "cache_read",
  cacheWritePrice: "cache_write",
  cacheWrite1hPrice: "cache_write_1h",
} as const;

type Column = keyof typeof columns;
const columnNames = Object.keys(columns) as Column[];

/** A model's prices as they were entered; null: inherited. */
export type Entered = {
  inputPrice: Nanos;
  outputPrice: Nanos;
  cacheReadPrice: Nanos | null;
  cacheWritePrice: Nanos | null;
  cacheWrite1hPrice: Nanos | null;
  unitPrices: UnitPrice[];
  videoPrices: { durationSeconds: number; resolution: string; price: Nanos }[];
};

const classNames: readonly string[] = Object.values(classes);

const VIDEO = /^video:([1-9]\d{0,3}):(\w{1,16})$/;

export const videoPriceName = (video: { durationSeconds: number; resolution: string }): string =>
  `video:${video.durationSeconds}:${video.resolution}`;

/** Whether a price may have this name. */
export const isPriceName = (name: string): boolean =>
  classNames.includes(name) || isUnit(name) || VIDEO.test(name);

const orderOf = (name: string): number => {
  const place = classNames.indexOf(name);
  return place === -1 ? classNames.length : place;
};

/** Tokens first, then the rest by name, so that sheets can be compared. */
const byName = (left: string, right: string): number =>
  orderOf(left) - orderOf(right) || (left < right ? -1 : 1);

export const inOrder = (entries: [string, Nanos][]): PriceSheet =>
  Object.fromEntries(entries.sort(([left], [right]) => byName(left, right)));

/** A sheet as it is stored. */
export const storedSheet = (sheet: PriceSheet): Record<string, string> =>
  Object.fromEntries(Object.entries(sheet).map(([name, price]) => [name, price.toString()]));

export const readSheet = (stored: Record<string, string>): PriceSheet =>
  inOrder(Object.entries(stored).map(([name, price]) => [name, nanos(price)]));

/** For input and output, a price of 0 means no price. */
const isSaid = (name: string, price: Nanos | null): price is Nanos =>
  price !== null && (price > 0n || (name !== "input" && name !== "output"));

export function sheetOf(entered: Entered): PriceSheet {
  const tokens = columnNames.flatMap((column): [string, Nanos][] => {
    const price = entered[column];
    return isSaid(columns[column], price) ? [[columns[column], price]] : [];
  });
  return inOrder([
    ...tokens,
    ...entered.unitPrices.map(({ unit, price }): [string, Nanos] => [unit, price]),
    ...entered.videoPrices.map((video): [string, Nanos] => [videoPriceName(video), video.price]),
  ]);
}

/** The prices of a sheet, by the columns that they are entered in. */
export function enteredOf(sheet: PriceSheet): Entered {
  const zero = nanos(0n);
  return {
    inputPrice: sheet.input ?? zero,
    outputPrice: sheet.output ?? zero,
    cacheReadPrice: sheet.cache_read ?? null,
    cacheWritePrice: sheet.cache_write ?? null,
    cacheWrite1hPrice: sheet.cache_write_1h ?? null,
    unitPrices: Object.entries(sheet).flatMap(([unit, price]) => (isUnit(unit) ? [{ unit, price }] : [])),
    videoPrices: Object.entries(sheet)
      .flatMap(([name, price]) => {
        const [, seconds, resolution] = VIDEO.exec(name) ?? [];
        return seconds && resolution ? [{ durationSeconds: Number(seconds), resolution, price }] : [];
      })
      .sort((a, b) => a.durationSeconds - b.durationSeconds || (a.resolution < b.resolution ? -1 : 1)),
  };
}

/** Whether two sheets have the same prices. */
export const areSameSheets = (left: PriceSheet, right: PriceSheet): boolean => {
  const names = Object.keys(left);
  return names.length === Object.keys(right).length && names.every((name) => left[name] === right[name]);
};
