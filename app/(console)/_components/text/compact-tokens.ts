const format = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/** Vendors count in thousands of 1,000, or of 1,024: then the number is a multiple of 1,024 only. */
function thousandOf(tokens: number): number {
  return tokens % 1_000 !== 0 && tokens % 1_024 === 0 ? 1_024 : 1_000;
}

/** A limit in tokens, short: `128K`. In every language, because vendors write K and M in Chinese, too, and not 万. */
export function compactTokens(tokens: number): string {
  const thousand = thousandOf(tokens);
  return format.format(
    (tokens / thousand ** 2 >= 1 ? tokens / thousand ** 2 : tokens / thousand / 1_000) * 1_000_000,
  );
}
