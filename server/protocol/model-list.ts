/**
 * Vendors' lists of models: OpenAI's form (`data`, with further members at hosts of others' models), Anthropic's (pages
 * by `last_id`), Google's (`models`, pages by `nextPageToken`), and a bare array (Together).
 */
import { type Nanos, nanos } from "@/server/base/money";
import type { ModelKind } from "@/server/domain/enums";
import type { PriceName, PriceSheet } from "@/server/pricing";
import { toSheet } from "@/server/pricing";
import { isJsonObject, type JsonObject, objects, textOf } from "./fields";

/** A model as its vendor lists it. null: the list does not say. */
export type ListedModel = {
  /** The name that calls take. */
  name: string;
  kind: ModelKind | null;
  contextWindow: number | null;
  maxOutputTokens: number | null;
  /** In US dollars: the vendors that list prices (OpenRouter, Vercel, Together) have no other currency. */
  prices: PriceSheet | null;
};

/**
 * `next`: the query that asks for the next page. null: none can be asked for. `isLast`: there is none, by the vendor's
 * words.
 */
export type ModelListPage = { models: ListedModel[]; next: string | null; isLast: boolean };

const MAX_TOKENS = 100_000_000;
const MAX_NAME_CHARACTERS = 256;

/** The first member that is a count of tokens. */
function tokensIn(source: JsonObject, names: readonly string[]): number | null {
  const found = names.map((name) => source[name]).find((value) => Number.isSafeInteger(value) && value !== 0);
  const count = Number(found ?? 0);
  return count > 0 && count <= MAX_TOKENS ? count : null;
}

/** Vendors' words for a kind. Any other word leaves the kind unknown. */
const kindWords: Record<string, ModelKind> = {
  chat: "chat",
  language: "chat",
  code: "chat",
  embedding: "embedding",
  embeddings: "embedding",
  image: "image",
  video: "video",
  rerank: "rerank",
  reranking: "rerank",
  moderation: "moderation",
  transcribe: "transcription",
  transcription: "transcription",
};

/** Google's names for the methods of a kind. */
const kindMethods: readonly [string, ModelKind][] = [
  ["generateContent", "chat"],
  ["embedContent", "embedding"],
];

function kindOf(model: JsonObject): ModelKind | null {
  const { supportedGenerationMethods: methods } = model;
  if (Array.isArray(methods)) {
    return kindMethods.find(([method]) => methods.includes(method))?.[1] ?? null;
  }
  const word = textOf(model.type).toLowerCase();
  return Object.hasOwn(kindWords, word) ? (kindWords[word] ?? null) : null;
}

/** Decimal digits behind the point that prices of one token have, at most. */
const DIGITS = 18;

/** As of every price here: below a million. */
const MAX_PRICE = 10n ** 15n;

/**
 * A price in dollars as nano-units, times a power of ten, rounded up. null: no price, a negative one, or one beyond the
 * bound.
 */
function priceIn(value: unknown, millions: 0 | 6): Nanos | null {
  const text = typeof value === "number" ? value.toFixed(DIGITS) : textOf(value).trim();
  const [, whole, decimals = ""] = /^(\d{1,9})(?:\.(\d{1,18}))?$/.exec(text) ?? [];
  if (whole === undefined) {
    return null;
  }
  const exact = BigInt(whole + decimals.padEnd(DIGITS, "0"));
  const divisor = 10n ** BigInt(DIGITS - 9 - millions);
  const price = (exact + divisor - 1n) / divisor;
  return price < MAX_PRICE ? nanos(price) : null;
}

/** Members of prices: of a token as text (OpenRouter, Vercel), of a million tokens as numbers (Together). */
const priceMembers: readonly [PriceName, readonly string[]][] = [
  ["input", ["prompt", "input"]],
  ["output", ["completion", "output"]],
  ["cache_read", ["input_cache_read", "cached_input"]],
  ["cache_write", ["input_cache_write"]],
];

function pricesOf(pricing: unknown): PriceSheet | null {
  if (!isJsonObject(pricing)) {
    return null;
  }
  const prices: [PriceName, Nanos][] = [];
  for (const [name, members] of priceMembers) {
    const value = members
      .map((member) => pricing[member])
      .find((each) => each !== undefined && each !== null);
    const price = value === undefined ? nanos(0n) : priceIn(value, typeof value === "string" ? 6 : 0);
    if (price === null) {
      // Without this price, the model would be sold for the others alone.
      return null;
    }
    if (price > 0n) {
      prices.push([name, price]);
    }
  }
  // Embedding models have no price of output; a list without a price of input does not price by token.
  return prices.some(([name]) => name === "input") ? toSheet(prices) : null;
}

const windowMembers = [
  "context_length",
  "context_window",
  "max_context_length",
  "max_model_len",
  "inputTokenLimit",
  "max_input_tokens",
];
const limitMembers = ["max_completion_tokens", "max_output_tokens", "outputTokenLimit", "max_tokens"];

function readModel(model: JsonObject): ListedModel[] {
  // Google's names have their collection in front, also in its list in OpenAI's form.
  const name = (textOf(model.id) || textOf(model.name)).replace(/^models\//, "");
  if (name === "" || name.length > MAX_NAME_CHARACTERS || /[\p{Cc}\p{Cs}]/u.test(name)) {
    return [];
  }
  const host = isJsonObject(model.top_provider) ? model.top_provider : {};
  const contextWindow = tokensIn(model, windowMembers);
  const limit = tokensIn(model, limitMembers) ?? tokensIn(host, limitMembers);
  return [
    {
      name,
      kind: kindOf(model),
      contextWindow,
      // A limit as large as the window is the window.
      maxOutputTokens: limit !== null && limit === contextWindow ? null : limit,
      prices: pricesOf(model.pricing),
    },
  ];
}

function nextOf(body: JsonObject): Pick<ModelListPage, "next" | "isLast"> {
  const token = textOf(body.nextPageToken);
  if (token !== "") {
    return { next: `pageToken=${encodeURIComponent(token)}`, isLast: false };
  }
  const last = textOf(body.last_id);
  const hasMore = body.has_more === true;
  return {
    next: hasMore && last !== "" ? `after_id=${encodeURIComponent(last)}` : null,
    isLast: !hasMore && (body.nextPageToken ?? "") === "",
  };
}

/** null: this is no list of models. */
export function readModelList(body: unknown): ModelListPage | null {
  if (Array.isArray(body)) {
    return { models: objects(body).flatMap(readModel), next: null, isLast: true };
  }
  if (!isJsonObject(body)) {
    return null;
  }
  const list = Array.isArray(body.data) ? body.data : body.models;
  return Array.isArray(list) ? { models: objects(list).flatMap(readModel), ...nextOf(body) } : null;
}
