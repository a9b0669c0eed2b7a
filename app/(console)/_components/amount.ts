/**
 * A decimal string as a reader expects money, every decimal kept: `"1234.000000001"` -> `¥1,234.000000001`. Two
 * decimals at least, so that columns line up; never rounded, so that a small charge is not shown as none.
 */
export function amountText(decimal: string, currency: string, locale = "zh"): string {
  const format = new Intl.NumberFormat(locale === "zh" ? "zh-CN" : "en", {
    style: "currency",
    currency,
    currencyDisplay: "narrowSymbol",
    minimumFractionDigits: 2,
    maximumFractionDigits: 9,
  });
  // A string, not a number: `format` takes it digit by digit.
  return format.format(decimal as `${number}`);
}
