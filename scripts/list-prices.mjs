// Adds the price lists of presets to server/catalog/list-prices.json, from a public list unpacked in any folder:
//   node scripts/list-prices.mjs genai-prices GENAI_PRICES/dist/index.js "SOURCE" DATE
//   node scripts/list-prices.mjs models-dev MODELS.DEV "SOURCE" DATE
// Each source has its presets in scripts/price-sources. The lists of other presets stay as they are: some are kept by hand.
import { readFileSync, writeFileSync } from "node:fs";
import * as genaiPrices from "./price-sources/genai-prices.mjs";
import * as modelsDev from "./price-sources/models-dev.mjs";

const sources = { "genai-prices": genaiPrices, "models-dev": modelsDev };
const [sourceName, path, text, date] = process.argv.slice(2);
const source = Object.hasOwn(sources, sourceName ?? "") && sources[sourceName];
if (!source || !path || !text || !date) {
  throw new Error("usage: node scripts/list-prices.mjs genai-prices|models-dev PATH SOURCE YYYY-MM-DD");
}

const file = new URL("../server/catalog/list-prices.json", import.meta.url);
const lists = JSON.parse(readFileSync(file, "utf8"));
const { rowsOf } = await source.open(path, date, lists);
for (const [preset, { provider, names }] of Object.entries(source.presets)) {
  const rows = rowsOf(provider, { isInFull: names !== undefined }).filter(
    ([name]) => names?.test(name) ?? true,
  );
  rows.sort(([left], [right]) => (left < right ? -1 : 1));
  lists[preset] = {
    source: `${text}, provider ${provider}`,
    date,
    currency: "USD",
    models: Object.fromEntries(rows),
  };
}
writeFileSync(file, `${JSON.stringify(lists, null, 2)}\n`);
