// How prices are written in server/catalog/list-prices.json.

export const decimal = (price) => Number(price.toFixed(9)).toString();

/** The name of a class's price for prompts above a length in tokens. */
export const stepName = (name, tokens) =>
  `${name}@${tokens % 1000 === 0 ? `${tokens / 1000}k` : String(tokens)}`;
