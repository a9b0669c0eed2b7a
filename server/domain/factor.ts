/** Factors for prices. Imports nothing from the server, so pages may use it. */
import { type Nanos, nanos } from "@/server/base/money";

/** A positive, exact factor in millionths. */
export type Factor = bigint;

const ONE = 1_000_000n;

/** Parses a positive decimal with up to four digits before the point and six after it. null: invalid. */
export function parseFactor(text: string): Factor | null {
  const [, whole, decimals = ""] = /^(\d{1,4})(?:\.(\d{1,6}))?$/.exec(text.trim()) ?? [];
  const factor = whole === undefined ? 0n : BigInt(whole) * ONE + BigInt(decimals.padEnd(6, "0"));
  return factor > 0n ? factor : null;
}

/** The factor as a decimal: `0.8`. */
export function formatFactor(factor: Factor): string {
  const decimals = String(factor % ONE)
    .padStart(6, "0")
    .replace(/0+$/, "");
  return `${factor / ONE}${decimals && `.${decimals}`}`;
}

/** `price` times the factors, rounded up to a multiple of `step` nano-units, so that a sale price is never too low. */
export function markUp(price: Nanos, factors: readonly Factor[], step: bigint): Nanos {
  const divisor = factors.reduce((sum) => sum * ONE, step);
  const exact = factors.reduce((product, factor) => product * factor, BigInt(price));
  return nanos(((exact + divisor - 1n) / divisor) * step);
}

const UNIT_DECIMALS = 9;

/** The step that rounds a price up to this many decimals, in nano-units. */
export const stepOf = (decimals = UNIT_DECIMALS): bigint => 10n ** BigInt(UNIT_DECIMALS - decimals);
