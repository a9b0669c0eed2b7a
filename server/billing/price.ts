import type { Prices } from "@/server/catalog";
import type { Usage } from "@/server/protocol/usage";

const MILLION = 1_000_000n;

/** Nano-units for `tokens` at `price` per million, rounded up. */
const charge = (tokens: number, price: bigint) => (BigInt(tokens) * price + MILLION - 1n) / MILLION;

/** What a call costs, in nano-units: each class rounded up by itself, reasoning paid as output (spec section 1). */
export function costNanos(usage: Usage, prices: Prices): bigint {
  return (
    charge(usage.inputTokens, prices.input) +
    charge(usage.cacheReadTokens, prices.cacheRead) +
    charge(usage.cacheWriteTokens, prices.cacheWrite) +
    charge(usage.cacheWrite1hTokens, prices.cacheWrite1h) +
    charge(usage.outputTokens, prices.output)
  );
}

/** The most that a call can cost: nobody knows yet which class its input will fall into. */
export function ceilingNanos(tokens: { input: number; output: number }, prices: Prices): bigint {
  const dearest = [prices.cacheRead, prices.cacheWrite, prices.cacheWrite1h].reduce(
    (most, price) => (price > most ? price : most),
    prices.input,
  );
  return charge(tokens.input, dearest) + charge(tokens.output, prices.output);
}

/** The output tokens that `budget` nano-units buy. */
export function affordableTokens(budget: bigint, prices: Prices): number {
  return prices.output === 0n ? Number.MAX_SAFE_INTEGER : Number((budget * MILLION) / prices.output);
}
