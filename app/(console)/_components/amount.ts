/** A decimal string as a reader expects money, every decimal kept: `"1234.000000001"` -> `¥1,234.000000001`. */
export function amountText(decimal: string, currency: string): string {
  const format = new Intl.NumberFormat("zh-CN", {
    style: "currency",
    currency,
    minimumFractionDigits: 2,
    maximumFractionDigits: 9,
  });
  // A string, not a number: `format` takes it digit by digit.
  return format.format(decimal as `${number}`);
}
