const format = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/** A limit in tokens, short: `131.1K`. In every language, because vendors write K and M in Chinese, too, and not 万. */
export const compactTokens = (tokens: number): string => format.format(tokens);
