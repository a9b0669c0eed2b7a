import { charge } from "@/server/base/charge";
import { type Nanos, nanos } from "@/server/base/money";
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

/** What a call costs, in nano-units: each class rounded up by itself. */
export function costNanos(usage: Usage, prices: Prices): Nanos {
  return nanos(classes.reduce((sum, [name, count]) => sum + charge(usage[count], prices[name]), 0n));
}

/** Why a charge is what it is: one class of it. Nano-units. */
export type ChargeLine = {
  class: keyof Prices | "video";
  /** null: a video, paid as a whole. */
  tokens: number | null;
  /** Of a million tokens, or of the whole. */
  price: Nanos;
  amount: Nanos;
};

/** What of a ledger's entry says why it is what it is. */
type Charged = { prices: Record<string, Nanos> | null } & Record<(typeof classes)[number][1], number | null>;

/** The lines that a capture is the sum of; those of no tokens are left out, so a charge of nothing may have none. */
export function explainCharge({ prices, ...counts }: Charged): ChargeLine[] {
  const whole = prices?.video;
  if (whole !== undefined) {
    return [{ class: "video", tokens: null, price: whole, amount: whole }];
  }
  return classes.flatMap(([name, count]) => {
    const tokens = counts[count] ?? 0;
    const price = prices?.[name] ?? nanos(0n);
    return tokens === 0 ? [] : [{ class: name, tokens, price, amount: charge(tokens, price) }];
  });
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
