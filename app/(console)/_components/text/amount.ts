import { shortDecimals } from "@/server/domain/short-decimals";

/** `exact`: all decimals. `short`: rounded, for comparing figures. */
export type Precision = "exact" | "short";

/**
 * The decimals of a column of amounts: two, or as many as leave three digits of the largest one if that is below 1.
 */
export const columnDecimals = (amounts: readonly string[]): number =>
  shortDecimals(String(amounts.reduce((most, amount) => Math.max(most, Math.abs(Number(amount))), 0)));

const placesOf = (decimal: string): number => Math.max(2, decimal.split(".")[1]?.length ?? 0);

/** The decimals of the longest exact amount of a column. */
export const exactDecimals = (amounts: readonly string[]): number => Math.max(2, ...amounts.map(placesOf));

/** Invisible digits that put an exact amount's point below those of its column. */
export const padOf = (decimal: string, columnPlaces: number): string =>
  "0".repeat(Math.max(0, columnPlaces - placesOf(decimal)));

/** A formatted figure with a true minus (U+2212), which is as wide as a plus; `Intl` writes a hyphen. */
export const withMinus = (figure: string): string => figure.replace("-", "−");

/** The format of an amount. `currency`: its ISO code; `locale`: "en" or "zh". */
export type AmountStyle = {
  currency: string;
  locale: string;
  precision?: Precision;
  /** Exactly so many decimals, in place of a precision. An amount that is too small for them is "< 0.01". */
  decimals?: number | undefined;
};

/**
 * Formats a decimal string as money: `"1234.000000001"` -> `¥1,234.000000001`, or `¥1,234.00` in short. A small
 * charge is never shown as zero. At least two decimals, so that columns line up.
 */
export function amountText(
  decimal: string,
  { currency, locale, precision = "exact", decimals }: AmountStyle,
): string {
  const format = new Intl.NumberFormat(locale === "zh" ? "zh-CN" : "en", {
    style: "currency",
    currency,
    currencyDisplay: "narrowSymbol",
    minimumFractionDigits: decimals ?? 2,
    maximumFractionDigits: decimals ?? (precision === "exact" ? 9 : shortDecimals(decimal)),
  });
  const least = decimals === undefined ? 0 : 10 ** -decimals;
  const magnitude = Math.abs(Number(decimal));
  if (magnitude > 0 && magnitude < least) {
    return `${Number(decimal) < 0 ? "> " : "< "}${withMinus(format.format(Number(decimal) < 0 ? -least : least))}`;
  }
  // A string, not a number: `format` takes it digit by digit.
  return withMinus(format.format(decimal as `${number}`));
}
