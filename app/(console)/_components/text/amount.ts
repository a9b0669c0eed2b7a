/** `exact`: all decimals. `short`: rounded, for comparing figures. */
export type Precision = "exact" | "short";

/** The number of decimals that leaves three digits of an amount below 1, and two of any other. */
function shortDecimals(decimal: string): number {
  const magnitude = Math.abs(Number(decimal));
  return magnitude === 0 ? 2 : Math.max(2, 2 - Math.floor(Math.log10(magnitude)));
}

/** The format of an amount. `currency`: its ISO code; `locale`: "en" or "zh". */
export type AmountStyle = { currency: string; locale: string; precision?: Precision };

/**
 * Formats a decimal string as money: `"1234.000000001"` -> `¥1,234.000000001`, or `¥1,234.00` in short. A small
 * charge is never shown as zero. At least two decimals, so that columns line up.
 */
export function amountText(decimal: string, { currency, locale, precision = "exact" }: AmountStyle): string {
  const format = new Intl.NumberFormat(locale === "zh" ? "zh-CN" : "en", {
    style: "currency",
    currency,
    currencyDisplay: "narrowSymbol",
    minimumFractionDigits: 2,
    maximumFractionDigits: precision === "exact" ? 9 : shortDecimals(decimal),
  });
  // A string, not a number: `format` takes it digit by digit.
  return format.format(decimal as `${number}`);
}
