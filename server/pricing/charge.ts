import { type Nanos, nanos } from "@/server/base/money";
import { type ServiceTier, serviceTiers } from "@/server/domain/enums";
import { countPerPrice, isUnit, type Units } from "@/server/domain/units";
import type { Conditions } from "./conditions";
import { type Circumstances, conditionsMet, inForce, possibleCircumstances } from "./in-force";
import { statedClasses, type TokenField, tokenClasses } from "./names";
import { type PriceSheet, priceOf } from "./sheet";

const MILLION = 1_000_000;

export type TokenCounts = { [Field in TokenField as `${Field}Tokens`]: number };

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
export const promptOf = (counts: TokenCounts): number =>
  tokenClasses.reduce((sum, { name, field }) => sum + (name === "output" ? 0 : counts[`${field}Tokens`]), 0);

/** The counts by the names of prices. */
const countsOf = (counted: Counted): [item: string, count: number][] => [
  ...statedClasses.map(({ name, field }): [string, number] => [name, counted[`${field}Tokens`]]),
  ...Object.entries(counted.units ?? {}),
];

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

/** The lines whose sum is the price of a call. An item that was not used, or has no price, has no line. */
export function explain(counted: Counted, sheet: PriceSheet): Line[] {
  const prices = pricesOf(counted, sheet);
  return countsOf(counted).flatMap(([item, count]) => {
    const price = count > 0 ? priceOf(prices, item) : null;
    return price === null ? [] : [{ item, count, price, amount: charge(item, count, price) }];
  });
}

const sumOf = (lines: readonly Line[]): Nanos => nanos(lines.reduce((sum, { amount }) => sum + amount, 0n));

/** The price of a call, in nano-units. Each class and unit is rounded up separately. */
export const cost = (counted: Counted, sheet: PriceSheet): Nanos => sumOf(explain(counted, sheet));

/** The most that a call can use: tokens of its prompt, of all its answers, and units. No `tiers`: any. */
export type Most = {
  input: number;
  output: number;
  units?: Units | undefined;
  tiers?: readonly (ServiceTier | null)[] | undefined;
};

type Bound = { fixed: bigint; output: Nanos };

/** The highest price of the prompt and the units, and of output, under each of the possible circumstances. */
function boundsOf({ input, units, tiers = [null, ...serviceTiers] }: Most, sheet: PriceSheet): Bound[] {
  return possibleCircumstances(sheet, { prompt: input, tiers }).map((circumstances) => {
    const prices = inForce(sheet, circumstances);
    const ofUnits = Object.entries(units ?? {}).reduce((sum, [unit, count]) => {
      const price = priceOf(prices, unit);
      return price === null ? sum : sum + charge(unit, count, price);
    }, 0n);
    // The class of the input is not known yet.
    const dearest = tokenClasses.reduce((highest, { name }) => {
      const price = name === "output" ? highest : (prices.get(name) ?? highest);
      return price > highest ? price : highest;
    }, nanos(0n));
    return {
      fixed: charge("input", input, dearest) + ofUnits,
      output: prices.get("output") ?? nanos(0n),
    };
  });
}

/** The highest possible price of a call. */
export function ceiling(most: Most, sheet: PriceSheet): Nanos {
  const highest = boundsOf(most, sheet).reduce((max, { fixed, output }) => {
    const amount = fixed + charge("output", most.output, output);
    return amount > max ? amount : max;
  }, 0n);
  return nanos(highest);
}

/** The tokens of output that an amount pays next to the rest of the call. Below 0: it does not pay the rest. */
export function affordable(amount: Nanos, most: Omit<Most, "output">, sheet: PriceSheet): number {
  const tokens = boundsOf({ ...most, output: 0 }, sheet).map(({ fixed, output }) => {
    if (amount < fixed) {
      return -1;
    }
    return output === 0n ? Number.MAX_SAFE_INTEGER : Number(((amount - fixed) * BigInt(MILLION)) / output);
  });
  return Math.min(...tokens);
}
