// @pydantic/genai-prices (npm, MIT), unpacked in any folder: its dist/index.js.
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { decimal, stepName } from "./names.mjs";

/** Presets by the provider's name in the list. `names`: the vendor's own models. */
export const presets = {
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

const minutes = (time) => time.slice(0, 5);

/** The prices in force on the date, each with the part of the day (UTC) for which it holds; "": all other hours. */
function pricesOf({ prices }, date) {
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

function rowOf(model, date) {
  const row = {};
  for (const [hours, prices] of pricesOf(model, date)) {
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
        row[`${stepName(name, start)}${hours}`] = decimal(above);
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

/** Reads the package. `rowsOf`: the prices by model of a provider, on a date. */
export async function open(path, date) {
  const { findProvider } = await import(pathToFileURL(resolve(path)).href);
  const rowsOf = (provider) =>
    findProvider({ providerId: provider }).models.flatMap((model) => {
      const row = rowOf(model, date);
      return row ? [...new Set(namesOf(model))].map((name) => [name, row]) : [];
    });
  return { rowsOf };
}
