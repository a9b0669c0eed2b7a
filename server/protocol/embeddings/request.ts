import { errorMessages } from "@/server/base/error-messages";
import type { JsonObject } from "../fields";
import { readModel, refuse } from "../json/object";
import { type JsonText, readJsonText } from "../json/text";
import { countPrompt, countTokens } from "../usage/estimate";
import { SAMPLED_ABOVE } from "../usage/sampled-count";

/** An embeddings request (spec 4.4), parsed only as far as the gateway uses it; its text is forwarded. */
export type EmbeddingsRequest = Omit<JsonText, "fields"> & {
  model: string;
  /** The encoding for the client. The upstream gets the client's own word, or none. */
  encoding: "float" | "base64";
  /** The number of vectors that the answer must have. */
  items: number;
  /** The estimate; for token arrays, their count. */
  inputTokens: number;
  /** The vector length that the client named, in any vendor's word for it. null: none. */
  dimensions: number | null;
  /** The client named a number type other than float: the client and the vendor agree on the content of a string. */
  isQuantized: boolean;
  /** Every member except the input. */
  others: JsonObject;
};

/** OpenAI's limit, and far more than most vendors take. */
export const MAX_ITEMS = 2_048;

const isToken = (value: unknown) => Number.isInteger(value) && Number(value) >= 0;

const isTokens = (value: unknown): value is number[] => Array.isArray(value) && value.every(isToken);

type EmbeddingsInput = { items: number; tokens: number };

/** Tokens of texts that are vectors each: an item is never a fraction of a token. */
const countItems = (texts: readonly string[], characters: number): number =>
  characters > SAMPLED_ABOVE
    ? Math.ceil(countPrompt(texts) + texts.length / 2)
    : texts.reduce((sum, text) => sum + Math.ceil(countTokens(text)), 0);

/** Reads a list of strings, or of token arrays. No item may be empty: vendors refuse the whole call for one. */
function readItems(list: unknown[]): EmbeddingsInput {
  if (list.length > MAX_ITEMS) {
    throw refuse(errorMessages.mostItems("input", MAX_ITEMS));
  }
  const areTexts = typeof list[0] === "string";
  let tokens = 0;
  let characters = 0;
  for (const [place, item] of list.entries()) {
    if (areTexts ? typeof item !== "string" : !isTokens(item)) {
      throw refuse(errorMessages.embeddingItems());
    }
    if (item === "" || (Array.isArray(item) && item.length === 0)) {
      throw refuse(errorMessages.emptyItem(place + 1));
    }
    if (typeof item === "string") {
      characters += item.length;
    } else {
      tokens += (item as unknown[]).length;
    }
  }
  return { items: list.length, tokens: areTexts ? countItems(list as string[], characters) : tokens };
}

/** The spec names a string and an array of strings; tiktoken users and LangChain send token arrays. */
function readInput(input: unknown): EmbeddingsInput {
  if (typeof input === "string") {
    if (input === "") {
      throw refuse(errorMessages.mustNotBeEmpty("input"));
    }
    return { items: 1, tokens: Math.ceil(countPrompt([input])) };
  }
  if (!Array.isArray(input)) {
    throw refuse(errorMessages.embeddingInput());
  }
  if (input.length === 0) {
    throw refuse(errorMessages.mustNotBeEmpty("input"));
  }
  return isTokens(input) ? { items: 1, tokens: input.length } : readItems(input);
}

function readEncoding(format: unknown): EmbeddingsRequest["encoding"] {
  if (format === "base64") {
    return "base64";
  }
  if (format === undefined || format === null || format === "float") {
    return "float";
  }
  throw refuse(errorMessages.mustBeOneOf("encoding_format", ["float", "base64"]));
}

/** Throws the 400s of spec section 7, the first that applies. */
export function parseEmbeddingsRequest(raw: string): EmbeddingsRequest {
  const { fields, members, end } = readJsonText(raw);
  const model = readModel(fields);
  const { input, ...others } = fields;
  const { items, tokens } = readInput(input);
  const encoding = readEncoding(fields.encoding_format);
  // OpenAI's name and Voyage's. The upstream checks the number.
  const dimensions = fields.dimensions ?? fields.output_dimension;
  const numberType = fields.output_dtype ?? "float";
  return {
    raw,
    members,
    end,
    model,
    encoding,
    items,
    inputTokens: tokens,
    dimensions: typeof dimensions === "number" ? dimensions : null,
    isQuantized: numberType !== "float",
    others,
  };
}
