/**
 * What a call may be paid by beside tokens of text (spec 5). Nothing of the server is imported here, so a page may.
 *
 * A unit is a name, and of an image its size and quality where those have prices of their own: `image:1024x1024:high`.
 */
import type { Nanos } from "./money";

const MILLION = 1_000_000;

/**
 * How many of each its price is of: of tokens and characters a million, of seconds of sound a minute, as vendors state
 * it and as nano-units can say a price of an hour, too.
 */
const perPrice = {
  request: 1,
  image: 1,
  character: MILLION,
  second: 60,
  rerank: 1,
  web_search: 1,
  image_input: MILLION,
  audio_input: MILLION,
  audio_output: MILLION,
} as const;

export type UnitName = keyof typeof perPrice;
export const unitNames = Object.keys(perPrice) as UnitName[];

/** One unit's price, in nano-units, of as many as `countPerPrice` says. */
export type UnitPrice = { unit: string; price: Nanos };

/** How often each unit was used, whole numbers. */
export type Units = Readonly<Record<string, number>>;

/** The kind of a unit, without its size. null: it is no unit. */
export const unitNameOf = (unit: string): UnitName | null => {
  const [name = ""] = unit.split(":", 1);
  return Object.hasOwn(perPrice, name) ? (name as UnitName) : null;
};

/** Units whose sizes and qualities may have prices of their own. Any other would be charged at no such price. */
const sized: readonly UnitName[] = ["image"];

/** `auto` is no size: it says that the vendor chooses one. */
const isSize = (text: string) => /^[a-z0-9_-]{1,20}$/.test(text) && text !== "auto";

/** `name`; of an image `image:size` and `image:size:quality`, too. */
export function isUnit(text: string): boolean {
  const [, ...sizes] = text.split(":");
  const name = unitNameOf(text);
  return (
    name !== null &&
    (sizes.length === 0 || (sized.includes(name) && sizes.length <= 2 && sizes.every(isSize)))
  );
}

/** How many of a unit its price is of: one, sixty or a million. */
export const countPerPrice = (unit: string): number => perPrice[unitNameOf(unit) ?? "request"];

/**
 * The price that is nearest: of the size and quality, of the size, of any. null: there is none.
 */
export function nearestPrice(prices: readonly UnitPrice[], unit: string): UnitPrice | null {
  for (let named = unit; named !== ""; named = named.slice(0, Math.max(0, named.lastIndexOf(":")))) {
    const found = prices.find((each) => each.unit === named);
    if (found) {
      return found;
    }
  }
  return null;
}

/** `count` at `price`, in nano-units, rounded up. */
export function chargeUnits(count: number, { unit, price }: UnitPrice): bigint {
  const whole = BigInt(count) * price;
  const of = BigInt(countPerPrice(unit));
  return (whole + of - 1n) / of;
}
