// Adds the price lists of presets to server/catalog/list-prices.json, from a public list unpacked in any folder:
//   node scripts/list-prices.mjs GENAI_PRICES/dist/index.js "SOURCE" DATE
// The lists that are there and not named below stay as they are: they are kept by hand.
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [pricesPath, source, date] = process.argv.slice(2);
if (!pricesPath || !source || !date) {
  throw new Error("usage: node scripts/list-prices.mjs PRICES/index.js SOURCE YYYY-MM-DD");
}
const { findProvider } = await import(pathToFileURL(resolve(pricesPath)).href);

/** Presets by the provider's name in the list. `names`: the vendor's own models. */
const presets = {
  gemini: { provider: "google", names: /^gemini-/ },
  mistral: { provider: "mistral" },
  xai: { provider: "x-ai" },
  deepseek: { provider: "deepseek" },
  "moonshot-intl": { provider: "moonshotai" },
  zai: { provider: "zai" },
  groq: { provider: "groq" },
  together: { provider: "together" },
  fireworks: { provider: "fireworks" },
  cerebras: { provider: "cerebras" },
};

const classes = {
  input_mtok: "input",
  output_mtok: "output",
  cache_read_mtok: "cache_read",
  cache_write_mtok: "cache_write",
};
/** Prices of other things that a call is charged for: without them a model would be sold below cost. */
const others = ["requests_kcount"];

const length = (tokens) => (tokens % 1000 === 0 ? `${tokens / 1000}k` : String(tokens));
const decimal = (price) => Number(price.toFixed(9)).toString();
const minutes = (time) => time.slice(0, 5);

/** The prices in force on the date, each with the part of the day (UTC) for which it holds; "": all other hours. */
function pricesOf({ prices }) {
  const all = Array.isArray(prices) ? prices : [{ prices }];
  const isDated = ({ constraint }) => constraint && "start_date" in constraint;
  const usual = all
    .filter((each) => !each.constraint || (isDated(each) && each.constraint.start_date <= date))
    .at(-1);
  const hours = all.filter(({ constraint }) => constraint && "start_time" in constraint);
  return [
    ...(usual ? [["", usual.prices]] : []),
    ...hours.map(({ constraint: { start_time: from, end_time: until }, prices: then }) => [
      `@${minutes(from)}-${minutes(until)}`,
      then,
    ]),
  ];
}

function rowOf(model) {
  const row = {};
  for (const [hours, prices] of pricesOf(model)) {
    if (others.some((name) => prices[name])) {
      return null;
    }
    for (const [member, name] of Object.entries(classes)) {
      const price = prices[member];
      if (price === undefined || price === null) {
        continue;
      }
      row[`${name}${hours}`] = decimal(price.base ?? price);
      for (const { start, price: above } of price.tiers ?? []) {
        row[`${name}@${length(start)}${hours}`] = decimal(above);
      }
    }
  }
  return Number(row.input) > 0 ? row : null;
}

/** Every spelling of a model that the list has in full. */
const namesOf = ({ id, match }) => [
  id,
  ...[match, ...(match?.or ?? [])].flatMap((each) => (each?.equals ? [each.equals] : [])),
];

const path = new URL("../server/catalog/list-prices.json", import.meta.url);
const lists = JSON.parse(readFileSync(path, "utf8"));
for (const [preset, { provider, names = /./ }] of Object.entries(presets)) {
  const rows = findProvider({ providerId: provider }).models.flatMap((model) => {
    const row = rowOf(model);
    return row
      ? [...new Set(namesOf(model))].filter((name) => names.test(name)).map((name) => [name, row])
      : [];
  });
  rows.sort(([left], [right]) => (left < right ? -1 : 1));
  lists[preset] = {
    source: `${source}, provider ${provider}`,
    date,
    currency: "USD",
    models: Object.fromEntries(rows),
  };
}
writeFileSync(path, `${JSON.stringify(lists, null, 2)}\n`);
