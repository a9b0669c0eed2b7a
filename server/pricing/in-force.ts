import type { Nanos } from "@/server/base/money";
import type { ServiceTier } from "@/server/domain/enums";
import {
  always,
  bySpecificity,
  type Conditions,
  type DailyWindow,
  isWithin,
  printConditions,
  printWindow,
} from "./conditions";
import { type NamedPrice, type PriceName, parsePriceName, printPriceName, tokenClasses } from "./names";
import { conditionalPrices, type PriceSheet, priceOf, resolve, toSheet, withoutConditions } from "./sheet";

/**
 * The facts of a call that conditions of prices check. `prompt`: its tokens. `tier`: null is the vendor's usual one.
 */
export type Circumstances = { prompt: number; tier: ServiceTier | null };

/** `resolved`: the prices under circumstances that a call has met. */
type Compiled = {
  usual: PriceSheet;
  conditional: (NamedPrice & { price: Nanos })[];
  windows: DailyWindow[];
  resolved: Map<string, PriceSheet>;
};

const compiled = new WeakMap<PriceSheet, Compiled>();

/** Splits a sheet once: every call reads its model's sheet. */
function compile(sheet: PriceSheet): Compiled {
  const cached = compiled.get(sheet);
  if (cached) {
    return cached;
  }
  const usual = resolve(withoutConditions(sheet));
  const conditional = conditionalPrices(sheet).sort((left, right) =>
    bySpecificity(left.conditions, right.conditions),
  );
  const windows = conditional.flatMap(({ conditions }) => conditions.window ?? []);
  const fresh: Compiled = { usual, conditional, windows, resolved: new Map() };
  compiled.set(sheet, fresh);
  return fresh;
}

const NONE: Compiled["conditional"] = [];

/** The prices whose conditions a call meets. */
const metOf = ({ conditional }: Compiled, { prompt, tier }: Circumstances) =>
  conditional.length === 0
    ? NONE
    : conditional.filter(
        ({ conditions }) =>
          conditions.window === null &&
          prompt > conditions.above &&
          (conditions.tier === null || conditions.tier === tier),
      );

const conditionsOf = (met: Compiled["conditional"], { tier }: Circumstances): Conditions =>
  met.length === 0
    ? always
    : {
        above: Math.max(...met.map(({ conditions }) => conditions.above)),
        tier: met.some(({ conditions }) => conditions.tier !== null) ? tier : null,
        window: null,
      };

/** The conditions that a call meets, of those on which prices of the sheet depend; without windows. */
export const conditionsMet = (sheet: PriceSheet, circumstances: Circumstances): Conditions =>
  conditionsOf(metOf(compile(sheet), circumstances), circumstances);

/**
 * The prices of one call, resolved and without conditions. The whole call is priced at the highest step that its prompt
 * exceeds, as vendors do. A class without a price under the conditions keeps the one that it has without them.
 */
export function inForce(sheet: PriceSheet, circumstances: Circumstances): PriceSheet {
  const prepared = compile(sheet);
  const met = metOf(prepared, circumstances);
  if (met.length === 0) {
    return prepared.usual;
  }
  // Calls with the same conditions meet the same prices.
  const key = printConditions(conditionsOf(met, circumstances));
  const known = prepared.resolved.get(key);
  if (known) {
    return known;
  }
  const prices = met.map(({ item, price }): [PriceName, Nanos] => [item, price]);
  const resolved = resolve(new Map([...withoutConditions(sheet), ...prices]));
  prepared.resolved.set(key, resolved);
  return resolved;
}

/** A call at prices without conditions: all circumstances are alike. */
const USUAL: Circumstances[] = [{ prompt: 1, tier: null }];

/** All circumstances under which a call can be priced differently, of those that it can meet. */
export function possibleCircumstances(
  sheet: PriceSheet,
  { prompt, tiers }: { prompt: number; tiers: readonly (ServiceTier | null)[] },
): Circumstances[] {
  const { conditional } = compile(sheet);
  if (conditional.length === 0) {
    return USUAL;
  }
  const steps = conditional.map(({ conditions }) => conditions.above).filter((above) => above < prompt);
  const named = tiers.filter(
    (tier) => tier === null || conditional.some(({ conditions }) => conditions.tier === tier),
  );
  return [...new Set([0, ...steps])].flatMap((above) =>
    (named.length === 0 ? [null] : named).map((tier) => ({ prompt: above + 1, tier })),
  );
}

/** Whether a price with `own` conditions applies wherever one with the `other` conditions does. */
const covers = (own: Conditions, other: Conditions): boolean =>
  own.above <= other.above &&
  (own.tier === null || own.tier === other.tier) &&
  (own.window === null || (other.window !== null && printWindow(own.window) === printWindow(other.window)));

/** The price that a sheet charges where a price of this name would apply. null: none. */
export function priceUnder(sheet: PriceSheet, name: PriceName): Nanos | null {
  const named = parsePriceName(name);
  if (!named) {
    return null;
  }
  const { item, conditions } = named;
  const own = compile(sheet).conditional.findLast(
    (each) => each.item === item && covers(each.conditions, conditions),
  );
  const follows = tokenClasses.find((each) => each.name === item)?.follows ?? null;
  const inherited =
    follows === null ? null : priceUnder(sheet, printPriceName({ item: follows, conditions }));
  return own?.price ?? priceOf(sheet, item) ?? inherited;
}

/** The daily windows of a sheet. */
export const windowsOf = (sheet: PriceSheet): readonly DailyWindow[] => compile(sheet).windows;

/** The sheet for calls that begin at a moment: a price whose window the moment is in replaces the usual one. */
export function atTime(sheet: PriceSheet, at: Date): PriceSheet {
  const { conditional, windows } = compile(sheet);
  if (windows.length === 0) {
    return sheet;
  }
  const prices = new Map(withoutConditions(sheet));
  for (const { item, conditions, price } of conditional) {
    if (conditions.window === null || isWithin(conditions.window, at)) {
      prices.set(printPriceName({ item, conditions: { ...conditions, window: null } }), price);
    }
  }
  return toSheet(prices);
}
