/** The number of decimals that leaves three digits of an amount below 1, and two of any other. */
export function shortDecimals(decimal: string): number {
  const magnitude = Math.abs(Number(decimal));
  return magnitude === 0 ? 2 : Math.max(2, 2 - Math.floor(Math.log10(magnitude)));
}
