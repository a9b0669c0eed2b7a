import type { z } from "zod";

/** Money in storage and calculations, in nano-units. The sum of two is a plain bigint until `nanos` converts it. */
export type Nanos = bigint & z.$brand<"Nanos">;

/** Money in transfer: an exact decimal string of currency units. Only `formatMoney` creates one. */
export type Decimal = string & z.$brand<"Decimal">;

/** The only conversion to money, from a sum of amounts or a row's text. */
export const nanos = (figure: bigint | string): Nanos => BigInt(figure) as Nanos;

/** One currency unit in nano-units. */
const UNIT = 1_000_000_000n;

/**
 * Parses a decimal string to nano-units; null if it is invalid, or has more than 9 digits before or after the point.
 */
export function parseMoney(text: string): Nanos | null {
  const match = /^(-?)(\d{1,9})(?:\.(\d{1,9}))?$/.exec(text.trim());
  if (!match) {
    return null;
  }
  const magnitude = BigInt(match[2] ?? "0") * UNIT + BigInt((match[3] ?? "").padEnd(9, "0"));
  return nanos(match[1] === "-" ? -magnitude : magnitude);
}

/** Nano-units as the shortest decimal string: `1500000000n` -> `"1.5"`. Exact. */
export function formatMoney(amount: Nanos): Decimal {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(10, "0");
  const decimals = digits.slice(-9).replace(/0+$/, "");
  return `${amount < 0n ? "-" : ""}${digits.slice(0, -9)}${decimals && `.${decimals}`}` as Decimal;
}

/** A value whose amounts are decimal strings. */
type InDecimals<T> = T extends Nanos
  ? Decimal
  : T extends bigint | string | number | boolean | null | undefined | Date
    ? T
    : { [Name in keyof T]: InDecimals<T[Name]> };

/** Converts every amount in a value, at any depth, to a decimal string, for output. */
export function inDecimals<T>(value: T): InDecimals<T>;
export function inDecimals(value: unknown): unknown {
  if (typeof value === "bigint") {
    return formatMoney(nanos(value));
  }
  if (Array.isArray(value)) {
    return value.map((item: unknown) => inDecimals(item));
  }
  return typeof value === "object" && value !== null && !(value instanceof Date)
    ? Object.fromEntries(Object.entries(value).map(([name, item]) => [name, inDecimals(item)]))
    : value;
}
