import type { ServiceTier } from "@/server/base/enums";
import type { Nanos } from "@/server/base/money";
import { bySpecificity, type DailyWindow, isWithin } from "./conditions";
import { type NamedPrice, type PriceName, printPriceName } from "./names";
import { conditionalPrices, type PriceSheet, resolve, toSheet, withoutConditions } from "./sheet";

/** What the conditions of prices ask about a call. `prompt`: its tokens. `tier`: null is the vendor's usual one. */
export type Circumstances = { prompt: number; tier: ServiceTier | null };

type Compiled = { always: PriceSheet; conditional: (NamedPrice & { price: Nanos })[] };

const compiled = new WeakMap<PriceSheet, Compiled>();

/** Splits a sheet once: every call reads its model's sheet. */
function compile(sheet: PriceSheet): Compiled {
  const known = compiled.get(sheet);
  if (known) {
    return known;
  }
  const always = resolve(withoutConditions(sheet));
  const conditional = conditionalPrices(sheet).sort((left, right) =>
    bySpecificity(left.conditions, right.conditions),
  );
  compiled.set(sheet, { always, conditional });
  return { always, conditional };
}

/**
 * The prices of one call, resolved and without conditions. The whole call is priced at the highest step that its prompt
 * exceeds, as vendors do. A class without a price under the conditions keeps the one that it has without them.
 */
export function inForce(sheet: PriceSheet, { prompt, tier }: Circumstances): PriceSheet {
  const { always, conditional } = compile(sheet);
  const met = conditional.filter(
    ({ conditions }) =>
      conditions.window === null &&
      prompt > conditions.above &&
      (conditions.tier === null || conditions.tier === tier),
  );
  if (met.length === 0) {
    return always;
  }
  const prices = met.map(({ item, price }): [PriceName, Nanos] => [item, price]);
  return resolve(new Map([...withoutConditions(sheet), ...prices]));
}

/** All circumstances under which a call can be priced differently, of those that it can meet. */
export function possibleCircumstances(
  sheet: PriceSheet,
  { prompt, tiers }: { prompt: number; tiers: readonly (ServiceTier | null)[] },
): Circumstances[] {
  const { conditional } = compile(sheet);
  const steps = conditional.map(({ conditions }) => conditions.above).filter((above) => above < prompt);
  const named = tiers.filter(
    (tier) => tier === null || conditional.some(({ conditions }) => conditions.tier === tier),
  );
  return [...new Set([0, ...steps])].flatMap((above) =>
    (named.length === 0 ? [null] : named).map((tier) => ({ prompt: above + 1, tier })),
  );
}

/** The daily windows of a sheet. */
export const windowsOf = (sheet: PriceSheet): DailyWindow[] =>
  compile(sheet).conditional.flatMap(({ conditions }) => conditions.window ?? []);

/** The sheet for calls that begin at a moment: a price whose window the moment is in replaces the usual one. */
export function atTime(sheet: PriceSheet, at: Date): PriceSheet {
  const { conditional } = compile(sheet);
  if (conditional.every(({ conditions }) => conditions.window === null)) {
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
