// Writes server/catalog/model-facts.json from two public lists, unpacked in any folder:
//   node scripts/model-facts.mjs LITELLM/model_prices_and_context_window_backup.json GENAI_PRICES/dist/index.js "SOURCE" DATE
// Facts that neither list has are left out.
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [listPath, pricesPath, source, date] = process.argv.slice(2);
if (!listPath || !pricesPath || !source || !date) {
  throw new Error("usage: node scripts/model-facts.mjs LIST.json PRICES/index.js SOURCE YYYY-MM-DD");
}
const list = JSON.parse(readFileSync(listPath, "utf8"));
const { findProvider } = await import(pathToFileURL(resolve(pricesPath)).href);

/** The first vendor that has a name wins: makers come before hosts of others' models. */
const vendors = {
  openai: "openai",
  anthropic: "anthropic",
  gemini: "google",
  deepseek: "deepseek",
  xai: "x-ai",
  zai: "zai",
  moonshot: "moonshotai",
  minimax: "minimax",
  dashscope: null,
  mistral: "mistral",
};
const kinds = { chat: "chat", responses: "chat", embedding: "embedding" };
const modalities = ["text", "image", "file", "audio", "video"];

/** The context window for prompt and answer together: one list has it, the other has the longest prompt. */
function windowOf(vendor, name, row) {
  const provider = vendors[vendor] && findProvider({ providerId: vendors[vendor] });
  const known = provider?.models.find(({ id }) => id === name)?.context_window;
  const found = Math.max(known ?? 0, row.max_input_tokens ?? 0);
  return found > 0 ? found : undefined;
}

function inputsOf(row) {
  const said = new Set(row.supported_modalities ?? (row.supports_vision ? ["text"] : []));
  if (said.size === 0) {
    return;
  }
  const more = { image: "supports_vision", file: "supports_pdf_input", audio: "supports_audio_input" };
  for (const [modality, flag] of Object.entries({ ...more, video: "supports_video_input" })) {
    if (row[flag]) {
      said.add(modality);
    }
  }
  return modalities.filter((one) => said.has(one));
}

function factsOf(vendor, name, row) {
  const kind = kinds[row.mode];
  const isChat = kind === "chat";
  const contextWindow = windowOf(vendor, name, row);
  // If only the window limits a vendor's answers, the model itself has no output limit.
  const isLimited = row.max_output_tokens < (contextWindow ?? row.max_input_tokens ?? 0);
  return {
    kind,
    contextWindow,
    maxOutputTokens: isChat && isLimited ? row.max_output_tokens : undefined,
    inputModalities: inputsOf(row),
    hasTools: isChat ? row.supports_function_calling : undefined,
    hasThinking: isChat ? row.supports_reasoning : undefined,
  };
}

const models = {};
for (const vendor of Object.keys(vendors)) {
  for (const [key, row] of Object.entries(list)) {
    const name = key.split("/").at(-1);
    const isServed = row.litellm_provider === vendor && Object.hasOwn(kinds, row.mode);
    const facts = isServed && JSON.parse(JSON.stringify(factsOf(vendor, name, row)));
    // Only models with another known fact than the kind.
    if (facts && !name.startsWith("ft:") && !Object.hasOwn(models, name) && Object.keys(facts).length > 1) {
      models[name] = facts;
    }
  }
}
/** A dated name takes the facts of its undated name (list-prices.ts). */
const undated = (name) => name.replace(/-(?:\d{4}-\d{2}-\d{2}|\d{8}|latest)$/, "");
for (const name of Object.keys(models)) {
  if (undated(name) !== name && JSON.stringify(models[undated(name)]) === JSON.stringify(models[name])) {
    delete models[name];
  }
}
const sorted = Object.fromEntries(Object.entries(models).sort(([left], [right]) => (left < right ? -1 : 1)));
writeFileSync(
  new URL("../server/catalog/model-facts.json", import.meta.url),
  `${JSON.stringify({ source, date, models: sorted }, null, 2)}\n`,
);
