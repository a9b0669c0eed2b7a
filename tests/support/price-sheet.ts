import { type PriceSheet, parseSheet, storedSheet } from "@/server/pricing";

/** A price sheet, in nano-units by name. */
export const sheetOf = (prices: Record<string, bigint>): PriceSheet =>
  parseSheet(Object.fromEntries(Object.entries(prices).map(([name, price]) => [name, String(price)])));

/** The prices of a sheet, to compare. */
export const pricesIn = (sheet: PriceSheet | null): Record<string, bigint> | null =>
  sheet &&
  Object.fromEntries(Object.entries(storedSheet(sheet)).map(([name, price]) => [name, BigInt(price)]));
