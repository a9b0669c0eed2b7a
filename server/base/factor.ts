/** Prices times something. Nothing of the server is imported here, so a page may. */
import { type Nanos, nanos } from "./money";

/** A positive factor, exact: so many millionths. */
export type Factor = bigint;

const ONE = 1_000_000n;

/** A decimal with up to four digits before its point and six behind it, above 0. null: it is none. */
export function parseFactor(text: string): Factor | null {
  const [, whole, decimals = ""] = /^(\d{1,4})(?:\.(\d{1,6}))?$/.exec(text.trim()) ?? [];
  const factor = whole === undefined ? 0n : BigInt(whole) * ONE + BigInt(decimals.padEnd(6, "0"));
  return factor > 0n ? factor : null;
}

/** As it is written: `0.8`. */
export function formatFactor(factor: Factor): string {
  const decimals = String(factor % ONE)
    .padStart(6, "0")
    .replace(/0+$/, "");
  return `${factor / ONE}${decimals && `.${decimals}`}`;
}

/** `price` times the factors, rounded up to a multiple of `step` nano-units: a sale is never below what was meant. */
export function markUp(price: Nanos, factors: readonly Factor[], step: bigint): Nanos {
  const of = factors.reduce((sum) => sum * ONE, step);
  const exact = factors.reduce((product, factor) => product * factor, BigInt(price));
  return nanos(((exact + of - 1n) / of) * step);
}

const UNIT_DECIMALS = 9;

/** To so many decimals a price is rounded up, in nano-units. */
export const stepOf = (decimals = UNIT_DECIMALS): bigint => 10n ** BigInt(UNIT_DECIMALS - decimals);
