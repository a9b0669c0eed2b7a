import { charge } from "@/server/base/charge";
import { type Nanos, nanos } from "@/server/base/money";
import { chargeUnits, nearestPrice, type UnitPrice, type Units } from "@/server/base/units";
import type { Prices } from "@/server/catalog";
import type { Usage } from "@/server/protocol/usage";

const MILLION = 1_000_000n;

/** The price classes of tokens and their counts. Reasoning is output (spec section 1). */
const classes = [
  ["input", "inputTokens"],
  ["cacheRead", "cacheReadTokens"],
  ["cacheWrite", "cacheWriteTokens"],
  ["cacheWrite1h", "cacheWrite1hTokens"],
  ["output", "outputTokens"],
] as const satisfies [keyof Prices, keyof Usage][];

/** The prices of the used units. Free units are left out, and a size without its own price gets the nearest one. */
function unitLines(units: Units, unitPrices: readonly UnitPrice[]): (UnitPrice & { count: number })[] {
  return Object.entries(units).flatMap(([unit, count]) => {
    const unitPrice = count > 0 ? nearestPrice(unitPrices, unit) : null;
    return unitPrice ? [{ unit, price: unitPrice.price, count }] : [];
  });
}

/** The price of units, in nano-units. Each unit is rounded up separately. */
export const unitsNanos = (units: Units, unitPrices: readonly UnitPrice[]): Nanos =>
  nanos(unitLines(units, unitPrices).reduce((sum, { count, ...at }) => sum + chargeUnits(count, at), 0n));

/** The price of a call, in nano-units. Each class and unit is rounded up separately. */
export function costNanos(usage: Usage, prices: Prices, unitPrices: readonly UnitPrice[] = []): Nanos {
  const tokens = classes.reduce((sum, [name, count]) => sum + charge(usage[count], prices[name]), 0n);
  return nanos(tokens + (usage.units ? unitsNanos(usage.units, unitPrices) : 0n));
}

/** The prices that the ledger stores with a charge: of all classes, and of the used units. */
export const pricesOfCharge = (
  usage: Usage,
  prices: Prices,
  unitPrices: readonly UnitPrice[],
): Record<string, Nanos> => ({
  ...prices,
  ...Object.fromEntries(unitLines(usage.units ?? {}, unitPrices).map(({ unit, price }) => [unit, price])),
});

/** One line of an explained charge. Nano-units. */
export type ChargeLine = {
  class: keyof Prices | "video" | "unit";
  /** null: not charged by tokens. */
  tokens: number | null;
  /** The unit, as named in `base/units.ts`, and its count. null: charged by tokens, or a video. */
  unit: { name: string; count: number } | null;
  /** The price of a million tokens, of the unit as `countPerPrice` says, or of the whole. */
  price: Nanos;
  amount: Nanos;
};

/** The fields of a ledger entry that explain its amount. */
type ChargeFields = { prices: Record<string, Nanos> | null; units?: Units | null | undefined } & Record<
  (typeof classes)[number][1],
  number | null
>;

/** The lines whose sum is a capture. Lines with a count of zero are left out, so a charge of zero may have no lines. */
export function explainCharge({ prices, units, ...counts }: ChargeFields): ChargeLine[] {
  const whole = prices?.video;
  if (whole !== undefined) {
    return [{ class: "video", tokens: null, unit: null, price: whole, amount: whole }];
  }
  const tokens = classes.flatMap(([name, member]): ChargeLine[] => {
    const count = counts[member] ?? 0;
    const price = prices?.[name] ?? nanos(0n);
    return count === 0
      ? []
      : [{ class: name, tokens: count, unit: null, price, amount: charge(count, price) }];
  });
  const others = Object.entries(units ?? {}).flatMap(([name, count]): ChargeLine[] => {
    const price = prices?.[name] ?? nanos(0n);
    const amount = nanos(chargeUnits(count, { unit: name, price }));
    return count === 0 ? [] : [{ class: "unit", tokens: null, unit: { name, count }, price, amount }];
  });
  return [...tokens, ...others];
}

/** The highest possible price of a call: the class of its input is not known yet. */
export function ceilingNanos(tokens: { input: number; output: number }, prices: Prices): Nanos {
  const dearest = [prices.cacheRead, prices.cacheWrite, prices.cacheWrite1h].reduce(
    (maxPrice, price) => (price > maxPrice ? price : maxPrice),
    prices.input,
  );
  return nanos(charge(tokens.input, dearest) + charge(tokens.output, prices.output));
}

/** The number of output tokens that `budget` nano-units buy. */
export function affordableTokens(budget: Nanos, prices: Prices): number {
  return prices.output === 0n ? Number.MAX_SAFE_INTEGER : Number((budget * MILLION) / prices.output);
}
