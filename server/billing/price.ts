import { charge } from "@/server/base/charge";
import { type Nanos, nanos } from "@/server/base/money";
import { chargeUnits, nearestPrice, type UnitPrice, type Units } from "@/server/base/units";
import type { Prices } from "@/server/catalog";
import type { Usage } from "@/server/protocol/usage";

const MILLION = 1_000_000n;

/** What is paid by the token, and the count that is paid at each price: reasoning is output (spec section 1). */
const classes = [
  ["input", "inputTokens"],
  ["cacheRead", "cacheReadTokens"],
  ["cacheWrite", "cacheWriteTokens"],
  ["cacheWrite1h", "cacheWrite1hTokens"],
  ["output", "outputTokens"],
] as const satisfies [keyof Prices, keyof Usage][];

/** The prices of units that were used, by unit; without those that cost nothing, and a size by its nearest price. */
function unitLines(units: Units, unitPrices: readonly UnitPrice[]): (UnitPrice & { count: number })[] {
  return Object.entries(units).flatMap(([unit, count]) => {
    const found = count > 0 ? nearestPrice(unitPrices, unit) : null;
    return found ? [{ unit, price: found.price, count }] : [];
  });
}

/** What units cost, in nano-units: each rounded up by itself. */
export const unitsNanos = (units: Units, unitPrices: readonly UnitPrice[]): Nanos =>
  nanos(unitLines(units, unitPrices).reduce((sum, { count, ...at }) => sum + chargeUnits(count, at), 0n));

/** What a call costs, in nano-units: each class and unit rounded up by itself. */
export function costNanos(usage: Usage, prices: Prices, unitPrices: readonly UnitPrice[] = []): Nanos {
  const tokens = classes.reduce((sum, [name, count]) => sum + charge(usage[count], prices[name]), 0n);
  return nanos(tokens + (usage.units ? unitsNanos(usage.units, unitPrices) : 0n));
}

/** What the ledger says beside a charge: the prices of all classes, and of the units that were used. */
export const pricesOfCharge = (
  usage: Usage,
  prices: Prices,
  unitPrices: readonly UnitPrice[],
): Record<string, Nanos> => ({
  ...prices,
  ...Object.fromEntries(unitLines(usage.units ?? {}, unitPrices).map(({ unit, price }) => [unit, price])),
});

/** Why a charge is what it is: one class of it. Nano-units. */
export type ChargeLine = {
  class: keyof Prices | "video" | "unit";
  /** null: paid by something else. */
  tokens: number | null;
  /** What it is paid by if not tokens, as `base/units.ts` names it, and how many. null: by tokens, or a video. */
  unit: { name: string; count: number } | null;
  /** Of a million tokens, of the unit as `countPerPrice` says, or of the whole. */
  price: Nanos;
  amount: Nanos;
};

/** What of a ledger's entry says why it is what it is. */
type Charged = { prices: Record<string, Nanos> | null; units?: Units | null | undefined } & Record<
  (typeof classes)[number][1],
  number | null
>;

/** The lines that a capture is the sum of; those of no tokens are left out, so a charge of nothing may have none. */
export function explainCharge({ prices, units, ...counts }: Charged): ChargeLine[] {
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

/** The most that a call can cost: nobody knows yet which class its input will fall into. */
export function ceilingNanos(tokens: { input: number; output: number }, prices: Prices): Nanos {
  const dearest = [prices.cacheRead, prices.cacheWrite, prices.cacheWrite1h].reduce(
    (most, price) => (price > most ? price : most),
    prices.input,
  );
  return nanos(charge(tokens.input, dearest) + charge(tokens.output, prices.output));
}

/** The output tokens that `budget` nano-units buy. */
export function affordableTokens(budget: Nanos, prices: Prices): number {
  return prices.output === 0n ? Number.MAX_SAFE_INTEGER : Number((budget * MILLION) / prices.output);
}
