import { type Nanos, nanos } from "@/server/base/money";
import { type ServiceTier, serviceTiers } from "@/server/domain/enums";
import { countPerPrice, isUnit, type Units } from "@/server/domain/units";
import type { Conditions } from "./conditions";
import { type Circumstances, conditionsMet, inForce, possibleCircumstances } from "./in-force";
import { inputClasses, statedClasses, type TokenCount } from "./names";
import { type PriceSheet, priceOf } from "./sheet";

const MILLION = 1_000_000;

export type TokenCounts = Record<TokenCount, number>;

/**
 * The counts of a call. The classes of input do not overlap. `prompt`: the longest prompt, if these are the counts of
 * several requests. `tier`: the service tier that the answer names, if it is not the usual one.
 */
export type Counted = TokenCounts & {
  units?: Units | undefined;
  prompt?: number | undefined;
  tier?: ServiceTier | undefined;
};

/** One line of a charge: the count of a class of tokens, a unit or a video, and its price. */
export type Line = { item: string; count: number; price: Nanos; amount: Nanos };

const circumstancesOf = (counted: Counted): Circumstances => ({
  prompt: counted.prompt ?? promptOf(counted),
  tier: counted.tier ?? null,
});

/** All tokens of input. */
export function promptOf(counts: TokenCounts): number {
  let tokens = 0;
  for (const { count } of inputClasses) {
    tokens += counts[count];
  }
  return tokens;
}

/** The price of `count` of an item, rounded up to a nano-unit. */
export function charge(item: string, count: number, price: Nanos): Nanos {
  const per = BigInt(isUnit(item) ? countPerPrice(item) : MILLION);
  return nanos((BigInt(count) * price + per - 1n) / per);
}

/** The prices of a call, resolved and without conditions. */
export const pricesOf = (counted: Counted, sheet: PriceSheet): PriceSheet =>
  inForce(sheet, circumstancesOf(counted));

/** The conditions that gave a call its prices; without windows. */
export const conditionsOf = (counted: Counted, sheet: PriceSheet): Conditions =>
  conditionsMet(sheet, circumstancesOf(counted));

/** Visits each item of a call that was used and has a price, output and then units last. */
function eachPriced(
  counted: Counted,
  sheet: PriceSheet,
  visit: (item: string, count: number, price: Nanos) => void,
): void {
  const prices = pricesOf(counted, sheet);
  const visitUsed = (item: string, count: number) => {
    const price = count > 0 ? priceOf(prices, item) : null;
    if (price !== null) {
      visit(item, count, price);
    }
  };
  for (const { name, count } of statedClasses) {
    visitUsed(name, counted[count]);
  }
  for (const [unit, count] of Object.entries(counted.units ?? {})) {
    visitUsed(unit, count);
  }
}

/** The lines whose sum is the price of a call. An item that was not used, or has no price, has no line. */
export function explain(counted: Counted, sheet: PriceSheet): Line[] {
  const lines: Line[] = [];
  eachPriced(counted, sheet, (item, count, price) =>
    lines.push({ item, count, price, amount: charge(item, count, price) }),
  );
  return lines;
}

/** The price of a call, in nano-units. Each class and unit is rounded up separately. */
export function cost(counted: Counted, sheet: PriceSheet): Nanos {
  let sum = 0n;
  eachPriced(counted, sheet, (item, count, price) => {
    sum += charge(item, count, price);
  });
  return nanos(sum);
}

/** The most that a call can use next to its output: tokens of its prompt, and units. No `tiers`: any. */
export type Most = {
  input: number;
  units?: Units | undefined;
  tiers?: readonly (ServiceTier | null)[] | undefined;
};

type Bound = { fixed: bigint; output: Nanos };

/** The highest price of the prompt and the units, and of output, under each of the possible circumstances. */
function boundsOf({ input, units = {}, tiers = [null, ...serviceTiers] }: Most, sheet: PriceSheet): Bound[] {
  return possibleCircumstances(sheet, { prompt: input, tiers }).map((circumstances) => {
    const prices = inForce(sheet, circumstances);
    let ofUnits = 0n;
    for (const [unit, count] of Object.entries(units)) {
      const price = priceOf(prices, unit);
      ofUnits += price === null ? 0n : charge(unit, count, price);
    }
    // The class of the input is not known yet.
    let dearest = nanos(0n);
    for (const { name } of inputClasses) {
      const price = prices.get(name) ?? dearest;
      dearest = price > dearest ? price : dearest;
    }
    return {
      fixed: charge("input", input, dearest) + ofUnits,
      output: prices.get("output") ?? nanos(0n),
    };
  });
}

/** The limits of a call's price, by the tokens of all its answers. */
export type PriceLimits = {
  /** The highest possible price with this output. */
  ceiling: (output: number) => Nanos;
  /** The tokens of output that an amount pays next to the rest of the call. Below 0: it does not pay the rest. */
  affordable: (amount: Nanos) => number;
};

export function priceLimits(most: Most, sheet: PriceSheet): PriceLimits {
  const bounds = boundsOf(most, sheet);
  return {
    ceiling: (tokens) => {
      let highest = 0n;
      for (const { fixed, output } of bounds) {
        const amount = fixed + charge("output", tokens, output);
        highest = amount > highest ? amount : highest;
      }
      return nanos(highest);
    },
    affordable: (amount) => {
      const tokens = bounds.map(({ fixed, output }) => {
        if (amount < fixed) {
          return -1;
        }
        return output === 0n
          ? Number.MAX_SAFE_INTEGER
          : Number(((amount - fixed) * BigInt(MILLION)) / output);
      });
      return Math.min(...tokens);
    },
  };
}
