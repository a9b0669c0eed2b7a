// models.dev (MIT): the folder of its repository, which has a TOML file for each model of each provider. Files can be
// links to another provider's. Prices are US dollars per million tokens and are never inherited (its README,
// "Adding a New Provider Model").
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "smol-toml";
import { decimal, stepName } from "./names.mjs";

/** Presets by the provider's name in the list. `names`: the models whose prices it has in full. */
export const presets = {
  // It has one price where Model Studio has steps by the prompt's length. These models have one price there, too.
  "dashscope-intl": {
    provider: "alibaba",
    names: /^(qwen-max|qwen-mt-(plus|turbo)|qwen-vl-(max|plus|ocr)|qvq-max|qwq-plus|qwen3-next-80b-a3b-\w+)$/,
  },
  "siliconflow-intl": { provider: "siliconflow" },
  openrouter: { provider: "openrouter" },
  vercel: { provider: "vercel" },
};

/** Some files have `cache_input`, which its own schema drops. */
const classes = {
  input: "input",
  output: "output",
  cache_read: "cache_read",
  cache_input: "cache_read",
  cache_write: "cache_write",
};

/** Its members of prices that say nothing new if they are another price again. */
const repeated = { reasoning: "output", input_audio: "input", output_audio: "output" };

/**
 * Models with a charge that the list lacks: each of their calls searches, their caches can be kept for an hour. The
 * newest model of a family is another one next month.
 */
const chargedApart = /search|deep-research|sonar|claude|^~|-latest$/;

/** Makers that have steps by the prompt's length, which hosts charge too and models.dev has for none. */
const unstatedSteps = /^(qwen.*-(max|plus|flash|turbo)|doubao|seed-)/;

/** Makers by preset, whose lists here can be newer. */
const makers = {
  openai: "openai",
  gemini: "google",
  mistral: "mistral",
  xai: "xai",
  deepseek: "deepseek",
  "moonshot-intl": "moonshotai",
  zai: "zai",
};

/** A model's name as its maker spells it, to compare: without host, variant and date, and without dots. */
const plainName = (id) =>
  id
    .slice(id.lastIndexOf("/") + 1)
    .toLowerCase()
    .replace(/:.*$/, "")
    .replaceAll(".", "-")
    .replace(/-(?:\d{4}-\d{2}-\d{2}|\d{8}|latest|preview)$/, "");

function modelsIn(folder) {
  const files = existsSync(folder) ? readdirSync(folder, { recursive: true }) : [];
  return files
    .filter((file) => file.endsWith(".toml") && existsSync(join(folder, file)))
    .map((file) => ({
      id: file.slice(0, -".toml".length),
      ...parse(readFileSync(join(folder, file), "utf8")),
    }));
}

/** A member of prices that the sheet has no place for. */
const isUnknown = (cost, name) =>
  !(name in classes || name === "tiers" || (name in repeated && cost[name] === cost[repeated[name]]));

/** The prices of a cost. Zero for reading or writing a cache is not a price: the input's is charged. */
const pricesOf = (cost, nameOf) =>
  Object.fromEntries(
    Object.entries(classes)
      .filter(([member]) => cost[member] > 0)
      .map(([member, name]) => [nameOf(name), decimal(cost[member])]),
  );

const mediaOf = (model, base, side) => [
  ...(base?.modalities?.[side] ?? []),
  ...(model.modalities?.[side] ?? []),
];

function rowOf(model, { base, hasOnePrice }) {
  const { cost } = model;
  const inputs = mediaOf(model, base, "input");
  if (
    !(cost?.input > 0) ||
    !(cost.output > 0) ||
    // A price below the input's is a surcharge for storage.
    (cost.cache_write > 0 && cost.cache_write < cost.input) ||
    [cost, ...(cost.tiers ?? [])].some((each) =>
      Object.keys(each).some((name) => name !== "tier" && isUnknown(each, name)),
    ) ||
    // Images and sound have separate prices.
    !inputs.includes("text") ||
    (inputs.includes("audio") && !hasOnePrice) ||
    mediaOf(model, base, "output").some((each) => each !== "text") ||
    model.status === "deprecated"
  ) {
    return null;
  }
  const steps = (cost.tiers ?? []).map(({ tier, ...above }) =>
    pricesOf(above, (name) => stepName(name, tier.size)),
  );
  return Object.assign(pricesOf(cost, String), ...steps);
}

/** The models whose makers have changed prices since, according to newer lists: hosts may have followed. */
function changedSince(date, lists, modelsOf) {
  const changed = Object.entries(makers).flatMap(([preset, provider]) => {
    const list = lists[preset];
    return list && list.date > date
      ? modelsOf(provider).filter(({ id, cost }) => {
          const row = list.models[id];
          return (
            row &&
            cost &&
            (row.input !== decimal(cost.input ?? 0) || row.output !== decimal(cost.output ?? 0))
          );
        })
      : [];
  });
  return new Set(changed.map(({ id }) => plainName(id)));
}

/** Reads the folder. `rowsOf`: the prices by model of a provider. `lists`: those that are there. */
export function open(folder, date, lists) {
  const providers = readdirSync(join(folder, "providers"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => [name, modelsIn(join(folder, "providers", name, "models"))]);
  const bases = new Map(modelsIn(join(folder, "models")).map((base) => [base.id, base]));
  const modelsOf = (provider) => new Map(providers).get(provider) ?? [];
  const changed = changedSince(date, lists, modelsOf);
  const all = providers.flatMap(([, models]) => models);
  const namesWith = (isSuch) => new Set(all.filter(isSuch).map(({ id }) => plainName(id)));
  const stepped = namesWith(({ cost }) => cost?.tiers?.length > 0);
  const soundsLikeText = namesWith(({ cost }) => cost?.input_audio > 0 && cost.input_audio === cost.input);
  const soundsOtherwise = namesWith(({ cost }) => cost?.input_audio > 0 && cost.input_audio !== cost.input);
  const isKnown = ({ id, cost }) => {
    const name = plainName(id);
    return (
      !chargedApart.test(id) &&
      !soundsOtherwise.has(name) &&
      !changed.has(name) &&
      (cost?.tiers?.length > 0 || !(stepped.has(name) || unstatedSteps.test(name)))
    );
  };
  const rowsOf = (provider, { isInFull = false } = {}) =>
    modelsOf(provider)
      .filter((model) => isInFull || isKnown(model))
      .flatMap((model) => {
        const hasOnePrice = soundsLikeText.has(plainName(model.id));
        const row = rowOf(model, { base: bases.get(model.base_model), hasOnePrice });
        return row ? [[model.id, row]] : [];
      });
  return { rowsOf };
}
